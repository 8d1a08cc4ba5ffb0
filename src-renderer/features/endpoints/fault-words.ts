import type { Faults } from '../../../src-main/contract/faults.ts'
import { duration } from '../../ui/format.ts'

/** The switches that are on, in words: `delays each job by 2.0 s, fails 10 %`. */
export function faultsInWords(faults: Faults): string {
  const { delayMs, failPercent, killPercent, outOfMemoryPercent, throttle, coldStart } = faults
  return [
    delayMs ? `delays each job by ${duration(delayMs)}` : '',
    failPercent ? `fails ${failPercent} %` : '',
    killPercent ? `kills the worker of ${killPercent} %` : '',
    outOfMemoryPercent ? `runs out of memory on ${outOfMemoryPercent} %` : '',
    throttle ? 'finds no place for further workers' : '',
    coldStart ? 'starts cold for every job' : '',
  ]
    .filter((words) => words !== '')
    .join(', ')
}
