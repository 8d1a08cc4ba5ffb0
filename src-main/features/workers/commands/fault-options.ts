import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { decimal, spanIn } from '../../../app/cli/option-values.ts'
import { ALL_FAULTS_OFF, type Faults } from '../../../contract/faults.ts'
import { present } from '../../../lib/json/plain.ts'

export type FaultOptions = {
  readonly delay?: number
  readonly fail?: number
  readonly kill?: number
  readonly outOfMemory?: number
  readonly throttle?: boolean
  readonly coldStart?: boolean
  readonly off?: true
}

export function addFaultOptions(command: CliCommand): CliCommand {
  return command
    .option('--delay <duration>', 'delay of each job or request, like 2s or 500ms', spanIn('s'))
    .option('--fail <percent>', 'percentage of jobs that end as FAILED, or of requests answered with 500', decimal)
    .option('--kill <percent>', 'percentage of attempts whose worker is killed', decimal)
    .option('--out-of-memory <percent>', 'percentage of attempts whose worker is killed as out of memory', decimal)
    .option('--throttle', 'simulate no capacity for more workers')
    .option('--no-throttle', 'normal capacity')
    .option('--cold-start', 'start a new worker for each job')
    .option('--no-cold-start', 'keep workers for later jobs')
    .option('--off', 'turn off all faults not set in the same command')
}

export function faultsOf({ delay, fail, kill, outOfMemory, throttle, coldStart, off }: FaultOptions): Faults {
  return {
    ...(off === true ? ALL_FAULTS_OFF : {}),
    ...present({
      delayMs: delay,
      failPercent: fail,
      killPercent: kill,
      outOfMemoryPercent: outOfMemory,
      throttle,
      coldStart,
    }),
  }
}
