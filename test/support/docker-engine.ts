/** The Docker engine for tests: what `test/support/docker-engine` finds or starts, or why there is none. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Where the engine answers, for DOCKER_HOST; or why there is none, for `skip`. */
export type DockerEngine = { readonly dockerHost: string } | { readonly why: string }

const SCRIPT = fileURLToPath(new URL('docker-engine', import.meta.url))
// Source: the head of the script.
const CANNOT = 3
// A package index or mirror that never answers must not hold the run up for ever. Half a minute is usual.
const LIMIT_MS = 8 * 60_000

const run = promisify(execFile)

/**
 * Gives the engine with the images that tests need; the first call on a machine installs and makes what is missing,
 * any other takes less than a tenth of a second. To be awaited at the top of a test file, where no hook limit counts:
 *
 *     const engine = await dockerEngine()
 *     beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))
 *
 * The engine goes on running after the tests; `test/support/docker-engine stop` ends it.
 * @param command 'image-runpod' sees to `drydock-test/runpod-worker` too: Python and the public worker SDK
 * @throws when the script fails for another reason than that this machine cannot have an engine or the image
 */
export function dockerEngine(command: 'start' | 'image-runpod' = 'start'): Promise<DockerEngine> {
  return asked([command], {})
}

/** An engine of a test alone, which it may end; or why there is none. */
export type PrivateEngine =
  | { readonly why: string }
  | {
      readonly dockerHost: string
      /** Ends it and starts it again; settles when it answers. */
      readonly restart: (signal: 'TERM' | 'KILL') => Promise<void>
      /** Ends it with all that is in it. */
      readonly stop: () => Promise<void>
    }

/** Starts an engine in a folder of its own, not the one that other tests use; some seconds. */
export async function privateEngine(): Promise<PrivateEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-engine-'))
  const env = { DRYDOCK_TEST_ENGINE: folder }
  const stop = async () => {
    await asked(['stop'], env)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const started = await asked(['start'], env)
  if ('why' in started) {
    await stop()
    return started
  }
  return { ...started, restart: async (signal) => void (await asked(['restart', signal], env)), stop }
}

async function asked(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<DockerEngine> {
  try {
    const { stdout } = await run('bash', [SCRIPT, ...argv], { timeout: LIMIT_MS, env: { ...process.env, ...env } })
    return { dockerHost: stdout.trim().replace('DOCKER_HOST=', '') }
  } catch (error) {
    const { code, stderr, killed } = error as { code?: number | string; stderr?: string; killed?: boolean }
    if (code === 'ENOENT') return { why: 'there is no bash to start a Docker engine with' }
    if (killed) return { why: `no Docker engine was had within ${LIMIT_MS} ms` }
    if (code !== CANNOT) throw error
    return { why: stderr?.trim().split('\n').at(-1) ?? '' }
  }
}
