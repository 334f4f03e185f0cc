"""What may run, what may be read, what may leave: decided here and nowhere else."""
