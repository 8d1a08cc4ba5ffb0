/** Ms of the machine's monotonic clock, the same in every process of it. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6
