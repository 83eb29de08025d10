// The module of a process that dies as it starts.
process.exit(1)
