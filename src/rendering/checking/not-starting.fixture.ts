// This process exits as soon as it starts.
process.exit(1)
