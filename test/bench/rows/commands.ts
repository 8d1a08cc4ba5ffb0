/** How long commands take from start to exit while a service with a warm worker runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buildStale, PROGRAM } from '../../../src-main/app/cli/build.mjs'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { createWarmEndpoint, LAUNCHER, startService } from '../support/service.ts'

const CALLS = 20
const MOST_MS = 400
const COMMANDS = [['--help'], ['endpoint', 'list'], ['runsync', 'warm', '{}']] as const

/** Runs all commands in turn, CALLS times. */
export async function commandStarts(): Promise<readonly Row[]> {
  // A clone runs from source until a start has built the program.
  await buildStale([PROGRAM], process.execPath)
  return withFolder(async (folder) => {
    const service = await startService(folder)
    try {
      await createWarmEndpoint(service, 'warm')
      const spans = new Map(COMMANDS.map((argv) => [argv, [] as number[]]))
      for (let call = 0; call < CALLS; call++)
        for (const [argv, measured] of spans) measured.push(await commandMs([...argv, '--data', folder]))
      return [...spans].map(([argv, measured]) => {
        const row = bounded(`drydock ${argv.join(' ')}, from start to exit, p50`, median(measured), MOST_MS, 'ms')
        return { ...row, figure: `${row.figure}, slowest ${short(Math.max(...measured))} ms` }
      })
    } finally {
      await service.stop()
    }
  })
}

async function commandMs(argv: readonly string[]): Promise<number> {
  const start = performance.now()
  const [code] = await once(spawn(process.execPath, [LAUNCHER, ...argv], { stdio: 'ignore' }), 'close')
  if (code !== 0) throw new Error(`drydock ${argv.join(' ')} exited with ${code}`)
  return performance.now() - start
}
