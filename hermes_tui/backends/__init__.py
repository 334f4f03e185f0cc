"""Where commands run; the one place that starts processes."""
