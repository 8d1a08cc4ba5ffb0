/** Resource usage of worker processes, as the system reports it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { servedService, until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const shared = sharedService()

// The child has the memory, and the worker the processor.
const BUSY = `
import subprocess, sys, threading
subprocess.Popen([sys.executable, "-c", "block = bytearray(120 * 1024 * 1024); import time; time.sleep(1000)"])
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
def handler(job):
    return 1
`

test('a worker process is measured with all that it started, once and over time', async () => {
  const service = await shared()
  const one = { workersMin: 1, workersMax: 1 }
  await service.createHandler('busy', BUSY, one)
  await service.createEndpoint('calm', one)
  const used = await until(async () => {
    const { workers } = await service.get('/api/workers/usage')
    const busy = workers.find(({ endpointId }: { endpointId: string }) => endpointId === 'busy')
    const calm = workers.find(({ endpointId }: { endpointId: string }) => endpointId === 'calm')
    expect(busy.memoryBytes).toBeGreaterThan(120 * 1024 * 1024)
    expect(calm.memoryBytes).toBeGreaterThan(5 * 1024 * 1024)
    expect(busy.cpuPercent).toBeGreaterThan(0)
    // While it starts, the calm one uses the processor too.
    expect(calm.cpuPercent).toBeLessThan(busy.cpuPercent)
    return { calm }
  })
  expect(used.calm.memoryBytes).toBeLessThan(120 * 1024 * 1024)
  const told = await service.command('workers', 'usage')
  expect(JSON.parse(told.stdout).workers).toHaveLength(2)
})

test('workers are replaced from the command line, one or all of an endpoint', async () => {
  const service = await shared()
  await service.createEndpoint('calm', { workersMin: 1, workersMax: 1 })
  const worker = () =>
    until(async () => {
      const { workers } = await service.get('/api/workers?endpoint=calm')
      expect(workers).toMatchObject([{ state: 'idle' }])
      return workers[0].id as string
    })
  const first = await worker()
  const one = await service.command('workers', 'replace', first)
  expect(JSON.parse(one.stdout)).toEqual({ order: 'new first' })
  await until(async () => expect(await worker()).not.toBe(first))
  const second = await worker()
  const all = await service.command('workers', 'replace', '--endpoint', 'calm')
  expect(JSON.parse(all.stdout)).toEqual({ workers: [second] })
  expect((await service.command('workers', 'replace')).exitCode).toBe(2)
})

test('memory on cards is that of the processes of a worker, as the driver tells it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-cards-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // Lists a child of the worker, which is the one that computes, and a program of somebody else.
  writeFileSync(
    join(folder, 'nvidia-smi'),
    `#!/bin/sh
case "$1" in
  --query-compute-apps=*) echo "GPU-1, $(cat ${folder}/pid), 518"; echo "GPU-1, 1, 9000" ;;
esac
`,
  )
  chmodSync(join(folder, 'nvidia-smi'), 0o755)
  const computes = `
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
open("${folder}/pid", "w").write(str(child.pid))
def handler(job):
    return 1
`
  const service = servedService()
  await service.start({ env: { PATH: [folder, process.env.PATH].join(delimiter) } })
  const one = { workersMin: 1, workersMax: 1 }
  await service.createHandler('computes', computes, one)
  await service.createEndpoint('calm', one)
  await until(async () => {
    const { workers } = await service.get('/api/workers/usage')
    const of = (id: string) => workers.find(({ endpointId }: { endpointId: string }) => endpointId === id)
    expect(of('computes')).toMatchObject({ gpuMemoryBytes: 518 * 1024 * 1024 })
    expect(of('calm').memoryBytes).toBeGreaterThan(0)
    expect(of('calm')).not.toHaveProperty('gpuMemoryBytes')
  })
})
