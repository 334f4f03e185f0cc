"""Reading, checking and editing the configuration file, and what a first run has to find out."""
