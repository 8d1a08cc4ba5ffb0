import { ANY_MACHINE, type MachineView, THIS_MACHINE } from '../../../src-main/contract/machines.ts'
import { type MachineWish, machineText, otherMachine } from '../../../src-main/runtimes/rules/choose-machine.ts'
import type { SelectChoice } from './Select.tsx'

export function onMachineText({ container }: { readonly container?: MachineWish | undefined }): string {
  const machine = otherMachine(container)
  if (machine === undefined) return ''
  return machine === ANY_MACHINE ? ' on any machine' : ` on ${machine}`
}

export function machineChoices(
  chosen: string,
  machines: readonly Pick<MachineView, 'name' | 'state'>[] | undefined,
): readonly SelectChoice[] {
  const added = (machines ?? []).map(({ name, state }) => ({
    value: name,
    label: state === 'connected' ? name : `${name} (${state === 'connecting' ? 'connecting' : 'not reachable'})`,
  }))
  const isKnown = isGeneral(chosen) || added.some(({ value }) => value === chosen)
  const unknown = { value: chosen, label: machines === undefined ? chosen : `${chosen} (not added)` }
  const general = [THIS_MACHINE, ANY_MACHINE].map((value) => ({ value, label: machineText(value) }))
  return [...general, ...added, ...(isKnown ? [] : [unknown])]
}

export function whyNoWorkers(
  chosen: string,
  machines: readonly Pick<MachineView, 'name' | 'state' | 'reason'>[] | undefined,
): string | undefined {
  if (isGeneral(chosen) || machines === undefined) return undefined
  const machine = machines.find(({ name }) => name === chosen)
  if (machine === undefined) return `There is no machine ${chosen}: its workers wait until it is added.`
  if (machine.state !== 'unreachable') return undefined
  return `${chosen} cannot be reached${machine.reason === undefined ? '' : `: ${machine.reason}`}.`
}

const isGeneral = (machine: string) => machine === THIS_MACHINE || machine === ANY_MACHINE
