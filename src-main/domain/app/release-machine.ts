/**
 * On which machine the workers of a release run. The environment says it for all endpoints; one that a person has moved
 * by hand stays where it is until a person moves it back. Source: docs/spec/machines.md, 6.
 */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { THIS_MACHINE } from '../../contract/machines.ts'
import { wantedMachine } from '../worker/place.ts'

/** The machine that a person chose for an endpoint itself; undefined: it goes with its environment. */
function ownMachine(before: EndpointConfig | undefined): string | undefined {
  if (before?.container === undefined) return undefined
  const machine = wantedMachine(before.container)
  return machine === (before.app?.machine ?? THIS_MACHINE) ? undefined : machine
}

/** Where the workers of an endpoint run after a release. @param environment what its environment says */
export function releaseMachine(before: EndpointConfig | undefined, environment: string): string {
  return ownMachine(before) ?? environment
}

/** The settings of a release with its machine. A process runs where the service runs, whatever the environment says. */
export function withMachine(
  target: EndpointConfig,
  before: EndpointConfig | undefined,
  environment: string,
): EndpointConfig {
  const { container, app } = target
  if (container === undefined || app === undefined) return target
  const machine = releaseMachine(before, environment)
  // Both ways to say this machine are the same, and no change.
  const now = before?.container
  const said = now !== undefined && wantedMachine(now) === machine ? now.machine : stored(machine)
  return { ...target, container: { ...container, ...named(said) }, app: { ...app, ...named(stored(environment)) } }
}

const stored = (machine: string) => (machine === THIS_MACHINE ? undefined : machine)
const named = (machine: string | undefined) => (machine === undefined ? {} : { machine })
