/** The options of `faults`, and the fault switches in words. */
import type { Command } from 'commander'
import { ALL_FAULTS_OFF, type Faults } from '../contract/faults.ts'
import { duration } from './format.ts'
import { decimal, spanInMs } from './option-values.ts'

/** What commander keeps of the options. */
export type FaultOptions = {
  readonly delay?: number
  readonly fail?: number
  readonly kill?: number
  readonly outOfMemory?: number
  readonly throttle?: boolean
  readonly coldStart?: boolean
  readonly off?: true
}

/** Adds the options from which `faultsOf` makes the switches. */
export function addFaultOptions(command: Command): Command {
  return command
    .option('--delay <span>', 'how long each job or request is held back, like 2s or 500ms', spanInMs)
    .option('--fail <percent>', 'share of jobs that end as FAILED, or of requests answered 500', decimal)
    .option('--kill <percent>', 'share of tries whose worker is killed', decimal)
    .option('--out-of-memory <percent>', 'the same, told as out of memory', decimal)
    .option('--throttle', 'no place for a further worker')
    .option('--no-throttle', 'places as there are')
    .option('--cold-start', 'each job gets a worker that has just been started')
    .option('--no-cold-start', 'workers stay for further jobs')
    .option('--off', 'all off, but what else is given')
}

/** The switches that the given options stand for; empty: none was given. */
export function faultsOf({ delay, fail, kill, outOfMemory, throttle, coldStart, off }: FaultOptions): Faults {
  return {
    ...(off === true ? ALL_FAULTS_OFF : {}),
    ...(delay === undefined ? {} : { delayMs: delay }),
    ...(fail === undefined ? {} : { failPercent: fail }),
    ...(kill === undefined ? {} : { killPercent: kill }),
    ...(outOfMemory === undefined ? {} : { outOfMemoryPercent: outOfMemory }),
    ...(throttle === undefined ? {} : { throttle }),
    ...(coldStart === undefined ? {} : { coldStart }),
  }
}

/** The switches that are on, in words; undefined: all are off. */
export function faultsInWords(faults: Faults | undefined): string | undefined {
  if (faults === undefined) return undefined
  const { delayMs, failPercent, killPercent, outOfMemoryPercent, throttle, coldStart } = faults
  const words = [
    delayMs === undefined ? [] : `delay ${duration(delayMs)}`,
    failPercent === undefined ? [] : `fail ${failPercent} %`,
    killPercent === undefined ? [] : `kill ${killPercent} %`,
    outOfMemoryPercent === undefined ? [] : `out of memory ${outOfMemoryPercent} %`,
    throttle === true ? 'throttle' : [],
    coldStart === true ? 'cold start' : [],
  ].flat()
  return words.join(', ')
}
