/**
 * `npm run bench`: measures the speed rows of the design against their floors and peers in the same run, prints one
 * table and writes it to last.json; with --report also PERFORMANCE.md and its charts. Machines differ, so the ratios
 * count. Options: see options.ts.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measuredOn } from '../support/measured-on.ts'
import { type Options, readOptions } from './options.ts'
import { PICTURES, performanceReport } from './performance.ts'
import { notMeasured, type Row, tableText, writeMeasured } from './report.ts'
import { buildTimes } from './rows/build.ts'
import { coldContainers } from './rows/cold-containers.ts'
import { comfyuiPrompt } from './rows/comfyui-prompt.ts'
import { commandStarts } from './rows/commands.ts'
import { containerJobs } from './rows/container-jobs.ts'
import { crowdedService } from './rows/crowd.ts'
import { codeDeploys } from './rows/deploy.ts'
import { editorCanvas } from './rows/editor.ts'
import { endedJobs } from './rows/ended-jobs.ts'
import { remoteFilesSent } from './rows/far-files.ts'
import { remoteRelease } from './rows/far-release.ts'
import { remoteStart } from './rows/far-start.ts'
import { growthEnded } from './rows/growth-ended.ts'
import { growthEndpoints } from './rows/growth-endpoints.ts'
import { growthListeners } from './rows/growth-listeners.ts'
import { growthLogs } from './rows/growth-logs.ts'
import { growthWorkers } from './rows/growth-workers.ts'
import { heldLoop } from './rows/held-loop.ts'
import { idleService } from './rows/idle.ts'
import { jobsTable } from './rows/jobs-table.ts'
import { largeBodies } from './rows/large-bodies.ts'
import { loadBalancedRequests } from './rows/load-balanced.ts'
import { besideLocalServer } from './rows/local-server.ts'
import { queuedMemory } from './rows/memory.ts'
import { millionJobs } from './rows/million.ts'
import { monitoringCost } from './rows/monitoring.ts'
import { pageStart } from './rows/pages.ts'
import { besidePeers } from './rows/peers.ts'
import { previewSaves } from './rows/preview.ts'
import { runThroughput } from './rows/run-throughput.ts'
import { runsyncLatency } from './rows/runsync.ts'
import { runsyncThroughput } from './rows/runsync-throughput.ts'
import { savedCode } from './rows/saved-code.ts'
import { sketchPicture } from './rows/sketch.ts'
import { slowDisk } from './rows/slow-disk.ts'
import { startLatency } from './rows/start-latency.ts'
import { streamChunks } from './rows/stream-chunks.ts'
import { wakeContainers } from './rows/wake-containers.ts'
import { whatIfRows } from './rows/what-if.ts'
import { workflowDomain } from './rows/workflow-domain.ts'

type Measurement = (rounds: number, options: Options) => Promise<readonly Row[]>

/** Those of a full run, which takes 25 minutes at most. README.md has the reason of each. */
const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  run: runThroughput,
  runsync: runsyncLatency,
  'runsync-16': runsyncThroughput,
  'local-server': besideLocalServer,
  'load-balanced': loadBalancedRequests,
  'stream-chunks': streamChunks,
  'slow-disk': slowDisk,
  start: startLatency,
  peers: besidePeers,
  million: millionJobs,
  '20mb': largeBodies,
  ended: endedJobs,
  'held-loop': heldLoop,
  build: buildTimes,
  deploy: codeDeploys,
  preview: previewSaves,
  'saved-code': savedCode,
  commands: commandStarts,
  pages: pageStart,
  editor: editorCanvas,
  sketch: sketchPicture,
  'comfyui-prompt': comfyuiPrompt,
  'cold-containers': coldContainers,
  'container-jobs': containerJobs,
  'growth-endpoints': growthEndpoints,
  'growth-workers': growthWorkers,
  'growth-listeners': growthListeners,
  'growth-ended': (rounds, { large }) => growthEnded(rounds, large),
  'growth-logs': (rounds, { large }) => growthLogs(rounds, large),
  idle: (_rounds, { idleSeconds }) => idleService(idleSeconds),
}

/** Those that run only when named. */
const FURTHER: Readonly<Record<string, Measurement>> = {
  monitoring: monitoringCost,
  memory: queuedMemory,
  crowd: crowdedService,
  'jobs-table': jobsTable,
  workflows: workflowDomain,
  'wake-containers': wakeContainers,
  'what-if': whatIfRows,
  'far-files': remoteFilesSent,
  'far-release': remoteRelease,
  'far-start': remoteStart,
}

const LAST = join(import.meta.dirname, 'last.json')
const ROOT = join(import.meta.dirname, '..', '..')

const ALL = { ...MEASUREMENTS, ...FURTHER }
const options = readOptions(process.argv.slice(2), Object.keys(ALL))
const { only, rounds, report, last } = options
if (!last) await measureAll()
if (report) writePerformance()

async function measureAll(): Promise<void> {
  const began = performance.now()
  const machine = await measuredOn()
  const rows: Row[] = []
  const measured: string[] = []
  const wanted = Object.entries(only === undefined ? MEASUREMENTS : ALL).filter(
    ([name]) => only?.includes(name) ?? true,
  )
  for (const [name, measure] of wanted) {
    const start = performance.now()
    process.stderr.write(`${name} ...`)
    rows.push(...(await measure(rounds, options).catch((error: Error) => failed(name, error))))
    process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
    measured.push(name)
    // Each time, for `--report --last` after a run that was broken off.
    const minutes = (performance.now() - began) / 60_000
    writeMeasured(LAST, { rounds, minutes, only: measured.length === wanted.length ? only : measured, machine, rows })
  }
  console.log(`\n${tableText(rows)}`)
}

function failed(name: string, error: Error): readonly Row[] {
  process.exitCode = 1
  process.stderr.write(` ${error.stack}\n`)
  return [notMeasured(name, error.message.split('\n', 1)[0] ?? '')]
}

function writePerformance(): void {
  const { document, ...pictures } = performanceReport(JSON.parse(readFileSync(LAST, 'utf8')))
  writeFileSync(join(ROOT, 'PERFORMANCE.md'), document)
  for (const [name, path] of Object.entries(PICTURES)) {
    const picture = pictures[name as keyof typeof PICTURES]
    if (picture === undefined) rmSync(join(ROOT, path), { force: true })
    else writeFileSync(join(ROOT, path), picture)
  }
  console.log(`PERFORMANCE.md is written from ${LAST}`)
}
