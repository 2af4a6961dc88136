"""What the processes of an audited program saw, and which entries it shows."""
