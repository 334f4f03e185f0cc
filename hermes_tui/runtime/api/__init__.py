"""The core's faces for programs: OpenAI's API over its HTTP port."""
