// A process that exits as soon as it starts.
process.exit(1)
