/** Processor time in milliseconds, which other processes do not change. */
export const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
