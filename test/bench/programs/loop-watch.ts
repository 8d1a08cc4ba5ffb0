/**
 * Loaded into the service under measurement (`--import`): for how long its event loop was held at once since the last
 * time it was asked, written into the file of BENCH_LOOP_FILE; SIGUSR2 asks. Held is what its thread computed between
 * two ticks of a millisecond, so that it says the same on a machine that other programs keep busy; waiting for a disk
 * is not in it.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { threadCpuUsage } from 'node:process'

const file = process.env.BENCH_LOOP_FILE
if (file !== undefined) {
  let spans: number[] = []
  const used = () => {
    const { user, system } = threadCpuUsage()
    return (user + system) / 1000
  }
  let before = used()
  const tick = () => {
    const now = used()
    spans.push(now - before)
    before = now
  }
  setInterval(tick, 1).unref()
  process.on('SIGUSR2', () => {
    const sorted = spans.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    // Renamed, so that whoever waits for the file never reads half of it.
    writeFileSync(`${file}.new`, JSON.stringify({ max: at(1), p99: at(0.99), p50: at(0.5) }))
    renameSync(`${file}.new`, file)
    spans = []
    before = used()
  })
}
