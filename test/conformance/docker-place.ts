import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { containerSettings } from '../../src-main/contract/container.ts'
import { createDockerFleet } from '../../src-main/runtimes/docker/docker-fleet.ts'
import { type EngineHost, localHost } from '../../src-main/runtimes/docker/engine-host.ts'
import type { Fleet } from '../../src-main/runtimes/port.ts'
import { type FleetPlace, until } from './fleet.ts'
import { realClock, scriptOf, silent } from './process-place.ts'

// Small, and it has a shell. Source: test/support/docker-engine.
const IMAGE = 'busybox'
const CONTAINER = containerSettings.parse({ image: IMAGE })

/** An engine for real containers, which removes what a test leaves. */
export function dockerPlace(
  dockerHost: string,
  {
    env = {},
    elsewhere,
  }: {
    /** Variables of the service. */
    readonly env?: Readonly<Record<string, string>>
    /** The engine is not on this machine: its place, and how a process there gets a signal. */
    readonly elsewhere?: { readonly place: EngineHost; readonly signal: (pid: string, name: string) => void }
  } = {},
): FleetPlace {
  const serviceId = `test${randomBytes(5).toString('hex')}`
  const docker = (...args: string[]) =>
    execFileSync('docker', ['-H', dockerHost, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const folder = mkdtempSync(join(tmpdir(), 'drydock-docker-'))
  const surroundings = { env: { DOCKER_HOST: dockerHost, ...env }, home: folder, platform: process.platform }
  let used = false
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true })
    // A driver tells of an end before it has removed the container, and of two removals at once the engine refuses one.
    await until(() => {
      const left = docker('ps', '-aq', '--filter', `label=svc.service=${serviceId}`).split('\n').filter(Boolean)
      if (left.length > 0) docker('rm', '-f', ...left)
    })
    for (const name of [`drydock-${serviceId}`, `drydock-${serviceId}-closed`]) {
      try {
        docker('network', 'rm', name)
      } catch {
        // never made, or removed by the driver
      }
    }
  })

  return {
    driver: (maxWorkers = () => 10) =>
      inContainers(
        createDockerFleet({
          clock: realClock,
          log: silent,
          place:
            elsewhere?.place ??
            localHost({
              surroundings,
              pythonPath: '/nowhere',
              bundle: async () => '/nowhere',
              openForWorkers: noTunnel,
            }),
          folder,
          maxWorkers,
          resources: '/nowhere',
          version: '0',
          registryAuth: () => undefined,
          surroundings,
          state: {
            serviceId: () => serviceId,
            used: () => used,
            setUsed: async () => {
              used = true
            },
          },
        }),
      ),
    command: (steps) => `/bin/sh -c ${quoted(scriptOf(steps))}`,
    // Past the engine, which would wake a frozen container to give it a signal.
    poke({ container = '' }) {
      const pid = docker('inspect', '-f', '{{.State.Pid}}', container).trim()
      if (elsewhere === undefined) process.kill(Number(pid), 'SIGUSR1')
      else elsewhere.signal(pid, 'USR1')
    },
    kill: ({ container = '' }) => void docker('kill', '-s', 'KILL', container),
    lives: ({ container = '' }) => docker('ps', '-q', '--no-trunc').includes(container),
  }
}

/** Workers of the suite call nobody. */
export const noTunnel = async () => ({ port: 1 })

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Gives every worker the container settings of the suite, which knows nothing of them. */
export function inContainers(fleet: Fleet): Fleet {
  return {
    ...fleet,
    ensure: (plan, watch) => fleet.ensure({ ...plan, container: CONTAINER }, watch),
    prepare: (spec) => fleet.prepare({ ...spec, container: CONTAINER }),
    start: (spec) => fleet.start({ ...spec, container: CONTAINER }),
  }
}
