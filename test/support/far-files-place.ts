/** An engine to which files are sent as to another machine's, and workers there that look at them. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { systemTime } from '../../src-main/http/server/system-ports.ts'
import { createEngine } from '../../src-main/runtimes/docker/engine.ts'
import { createRemoteFiles, type FolderToSend } from '../../src-main/runtimes/remote/remote-files.ts'

const IMAGE = 'python:3.11-slim-bookworm'
const PYTHON = fileURLToPath(new URL('../../resources/python', import.meta.url))

const execute = promisify(execFile)
const clock = { now: systemTime.wall, steady: systemTime.monotonic, after: systemTime.after }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * Opens it; what is made goes with the test.
 * @param dockerHost where the engine really is
 * @param way where the files go, if not straight there; the volume may be made before
 */
export async function remoteFilesPlace(dockerHost: string, way = dockerHost) {
  const serviceId = `test${randomBytes(5).toString('hex')}`
  const name = `drydock-${serviceId}-files`
  const folder = mkdtempSync(join(tmpdir(), 'drydock-sent-'))
  const place = {
    addresses: () => [{ host: way, source: 'a test' }],
    whyNoEngine: (tried: readonly string[]) => tried.join('; '),
    isOnLinux: true,
  }
  const docker = async (...argv: readonly string[]) =>
    (await execute('docker', ['-H', dockerHost, ...argv], { maxBuffer: 2 ** 26 })).stdout.trim()

  /** Files as a service that was just started sends them. */
  function open() {
    const engine = createEngine({ clock, log: silent, place, label: `svc.service=${serviceId}` })
    const image = async () => IMAGE
    const options = { engine, machine: 'box', serviceId, pythonPath: PYTHON, image, clock, log: silent }
    onTestFinished(() => engine.close())
    return createRemoteFiles(options)
  }

  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true })
    await docker('rm', '--force', name).catch(() => undefined)
    await docker('volume', 'rm', '--force', name)
  })

  return {
    /** Of its container, and of its volume. */
    name,
    docker,
    open,
    folder: (kind: FolderToSend['kind'] = 'packed'): FolderToSend => ({ path: folder, kind, owner: 'an endpoint' }),
    path: (file: string) => join(folder, file),
    write(file: string, content: string | Uint8Array, mode = 0o644) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), content, { mode })
    },
    /** The files at /app, as a worker of some user sees them. */
    see: (source: string, ...command: readonly string[]) =>
      docker(
        ...['run', '--rm', '--user', '1234:1234', '--workdir', '/app'],
        ...['--mount', `type=bind,source=${source},target=/app,readonly`, 'busybox', ...command],
      ),
  }
}

/** Somebody who waits; `reports` is what he was told. */
export function watching(signal = new AbortController().signal) {
  const reports: string[] = []
  return { reports, report: (text: string) => void reports.push(text), signal }
}
