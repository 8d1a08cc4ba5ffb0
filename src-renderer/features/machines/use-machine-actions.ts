import { useQueryClient } from '@tanstack/react-query'
import type { MachineCreate } from '../../../src-main/contract/machines.ts'
import { leftoversText } from '../../../src-main/features/machines/rules/left-behind.ts'
import { useApp } from '../../store/app-context.ts'
import { useWhyNot } from '../../ui/use-role.ts'
import { useTell } from '../../ui/use-tell.ts'

export function useMachineActions() {
  const { client, store } = useApp()
  const { attempt, done } = useTell()
  const queries = useQueryClient()
  const readAgain = () => queries.invalidateQueries({ queryKey: ['machines'] })
  return {
    whyNotChange: useWhyNot('admin', 'Adding and removing machines'),
    whyNotTest: useWhyNot('deploy', 'Testing a machine'),
    async add(body: MachineCreate) {
      const added = await client.call('machineAdd', { body })
      await readAgain()
      return added
    },
    async test(machine: string) {
      await attempt(() => client.call('machineTest', { path: { machine } }))
      await readAgain()
    },
    async remove(machine: string) {
      const isRemoved = await attempt(async () => {
        const { left } = await client.call('machineRemove', { path: { machine } })
        done(`Machine ${machine} is removed.`)
        if (left !== undefined) store.getState().notify({ kind: 'error', text: leftoversText(left) })
      })
      void readAgain()
      return isRemoved
    },
  }
}
