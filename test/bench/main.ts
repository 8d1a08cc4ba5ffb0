/**
 * `npm run bench`: measures the speed rows of the design against their floors and peers in the same run, prints one
 * table and writes it to last.json. Machines differ, so the ratios count. Options: see options.ts.
 */
import { join } from 'node:path'
import { readOptions } from './options.ts'
import { type Row, tableText, writeReport } from './report.ts'
import { buildTimes } from './rows/build.ts'
import { coldContainers } from './rows/cold-containers.ts'
import { crowdedService } from './rows/crowd.ts'
import { editorCanvas } from './rows/editor.ts'
import { endedJobs } from './rows/ended-jobs.ts'
import { heldLoop } from './rows/held-loop.ts'
import { idleService } from './rows/idle.ts'
import { jobsTable } from './rows/jobs-table.ts'
import { largeBodies } from './rows/large-bodies.ts'
import { queuedMemory } from './rows/memory.ts'
import { millionJobs } from './rows/million.ts'
import { pageStart } from './rows/pages.ts'
import { previewSaves } from './rows/preview.ts'
import { runThroughput } from './rows/run-throughput.ts'
import { runsyncLatency } from './rows/runsync.ts'
import { runsyncThroughput } from './rows/runsync-throughput.ts'
import { sketchPicture } from './rows/sketch.ts'
import { startLatency } from './rows/start-latency.ts'
import { wakeContainers } from './rows/wake-containers.ts'
import { workflowDomain } from './rows/workflow-domain.ts'

type Measurement = (rounds: number, idleSeconds: number) => Promise<readonly Row[]>

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  run: runThroughput,
  runsync: runsyncLatency,
  'runsync-16': runsyncThroughput,
  start: startLatency,
  million: millionJobs,
  '20mb': largeBodies,
  ended: endedJobs,
  'held-loop': heldLoop,
  memory: queuedMemory,
  crowd: crowdedService,
  build: buildTimes,
  preview: previewSaves,
  pages: pageStart,
  'jobs-table': jobsTable,
  editor: editorCanvas,
  sketch: sketchPicture,
  workflows: workflowDomain,
  containers: async (rounds) => [...(await coldContainers(rounds)), ...(await wakeContainers())],
  idle: (_rounds, idleSeconds) => idleService(idleSeconds),
}

const { only, rounds, idleSeconds } = readOptions(process.argv.slice(2), Object.keys(MEASUREMENTS))
const rows: Row[] = []
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (only !== undefined && !only.includes(name)) continue
  const start = performance.now()
  process.stderr.write(`${name} ...`)
  rows.push(...(await measure(rounds, idleSeconds)))
  process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
}
console.log(`\n${tableText(rows)}`)
writeReport(join(import.meta.dirname, 'last.json'), rows, rounds)
