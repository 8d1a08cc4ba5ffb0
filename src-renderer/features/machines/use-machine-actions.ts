import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { MachineCreate, MachineView } from '../../../src-main/contract/machines.ts'
import { leftForGoodText } from '../../../src-main/features/machines/rules/left-behind.ts'
import { useApp } from '../../store/app-context.ts'
import { useWhyNot } from '../../ui/use-role.ts'

export type MachineActions = {
  /** Adds a machine and starts its test; rejects if refused. */
  readonly add: (machine: MachineCreate) => Promise<MachineView>
  readonly test: (name: string) => Promise<void>
  readonly remove: (name: string) => Promise<boolean>
  /** Why the signed-in user may not add or remove machines; undefined if allowed. */
  readonly whyNotChange: string | undefined
  readonly whyNotTest: string | undefined
}

export function useMachineActions(): MachineActions {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const whyNotChange = useWhyNot('admin', 'Adding and removing machines')
  const whyNotTest = useWhyNot('deploy', 'Testing a machine')
  return useMemo(() => {
    const { notify } = store.getState()
    const refused = (error: unknown) => void notify({ kind: 'error', text: (error as Error).message })
    const readAgain = () => queries.invalidateQueries({ queryKey: ['machines'] })
    return {
      whyNotChange,
      whyNotTest,
      async add(body) {
        const added = await client.call('machineAdd', { body })
        await readAgain()
        return added
      },
      async test(machine) {
        await client.call('machineTest', { path: { machine } }).catch(refused)
        await readAgain()
      },
      async remove(machine) {
        try {
          const { left } = await client.call('machineRemove', { path: { machine } })
          notify({ kind: 'done', text: `Machine ${machine} is removed.` })
          if (left !== undefined) notify({ kind: 'error', text: leftForGoodText(left) })
          return true
        } catch (error) {
          refused(error)
          return false
        } finally {
          void readAgain()
        }
      },
    }
  }, [client, store, queries, whyNotChange, whyNotTest])
}
