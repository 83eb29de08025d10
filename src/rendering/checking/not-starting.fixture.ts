// A process that exits at its start.
process.exit(1)
