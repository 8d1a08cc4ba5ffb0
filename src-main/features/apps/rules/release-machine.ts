/**
 * The machine for the workers of a release: that of the environment, unless a person moved the endpoint. Source:
 * docs/spec/machines.md, 6.
 */
import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { THIS_MACHINE } from '../../../contract/machines.ts'
import { wantedMachine } from '../../../runtimes/rules/choose-machine.ts'

function ownMachine(before: EndpointConfig | undefined): string | undefined {
  if (before?.container === undefined) return undefined
  const machine = wantedMachine(before.container)
  return machine === (before.app?.machine ?? THIS_MACHINE) ? undefined : machine
}

export function releaseMachine(before: EndpointConfig | undefined, environment: string): string {
  return ownMachine(before) ?? environment
}

/** A process always runs on the service's machine, whatever the environment says. */
export function withMachine(
  target: EndpointConfig,
  before: EndpointConfig | undefined,
  environment: string,
): EndpointConfig {
  const { container, app } = target
  if (container === undefined || app === undefined) return target
  const machine = releaseMachine(before, environment)
  // Both notations for this machine are equal, so no change.
  const now = before?.container
  const said = now !== undefined && wantedMachine(now) === machine ? now.machine : stored(machine)
  return { ...target, container: { ...container, ...named(said) }, app: { ...app, ...named(stored(environment)) } }
}

const stored = (machine: string) => (machine === THIS_MACHINE ? undefined : machine)
const named = (machine: string | undefined) => (machine === undefined ? {} : { machine })
