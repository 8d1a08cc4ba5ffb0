import type { MachineView } from '../../../src-main/contract/machines.ts'
import { useAppState } from '../../store/app-context.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { whatRemovalEnds } from './machine-state.ts'
import { useMachineActions } from './use-machine-actions.ts'

export type RemoveMachineProps = {
  readonly machine: MachineView
  readonly onClose: () => void
  readonly onRemoved?: () => void
}

export function RemoveMachine({ machine, onClose, onRemoved }: RemoveMachineProps) {
  const { remove } = useMachineActions()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const confirm = async () => {
    if (await remove(machine.name)) onRemoved?.()
  }
  return (
    <Confirm open onOpenChange={onClose} action={`Remove machine ${machine.name}`} onConfirm={() => void confirm()}>
      {whatRemovalEnds(machine, (id) => endpoints[id]?.name ?? id)}
    </Confirm>
  )
}
