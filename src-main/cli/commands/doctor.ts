import type { Command } from 'commander'
import type { DoctorRow } from '../../contract/system.ts'
import { asCalled } from '../called-as.ts'
import { CliError } from '../cli-error.ts'
import { runChecks } from '../doctor-checks.ts'
import { counted } from '../format.ts'
import type { Colour, Output } from '../output.ts'
import { globalOptions, outputOf } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock doctor`: what the service needs, what is there, and how to fix what is not. */
export function addDoctor(program: Command, surroundings: Surroundings): void {
  program
    .command('doctor')
    .description('check what the service needs, and say how to fix what is missing')
    .option('--gpu-test [image]', 'start a container that looks for the GPUs, of an image that is at hand')
    .addHelpText(
      'after',
      '\nThe exit code is 0 unless a row failed.\n\nExamples:\n  $ drydock doctor\n  $ drydock doctor --data ./data --json\n  $ drydock doctor --gpu-test ubuntu',
    )
    .action(async ({ gpuTest }: { gpuTest?: string | true }, command: Command) => {
      const output = outputOf(command, surroundings)
      const rows = await runChecks({ options: globalOptions(command), surroundings, gpuTest })
      const failed = rows.filter(({ state }) => state === 'failed').length
      if (output.json) output.document({ ok: failed === 0, checks: rows })
      else showRows(output, rows, surroundings)
      if (failed > 0) throw new CliError('CHECKS_FAILED', { count: counted(failed, 'check') })
    })
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const satisfies Record<DoctorRow['state'], Colour>

function showRows(output: Output, rows: readonly DoctorRow[], surroundings: Surroundings): void {
  // A fix stands below what was found: beside it the lines would be wider than terminals are.
  output.table(
    ['CHECK', 'STATE', 'FOUND'],
    rows.flatMap(({ check, state, found, fix }) => [
      [check, output.paint(COLOURS[state], state), found],
      ...(fix === undefined ? [] : [['', '', `-> ${asCalled(fix, surroundings)}`]]),
    ]),
  )
}
