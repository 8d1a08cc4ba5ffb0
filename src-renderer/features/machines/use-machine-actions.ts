import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { MachineCreate, MachineView } from '../../../src-main/contract/machines.ts'
import { leftForGoodText } from '../../../src-main/domain/machines/left-behind.ts'
import { useApp } from '../../store/app-context.ts'
import { useWhyNot } from '../../ui/use-role.ts'

/** What can be done with machines. */
export type MachineActions = {
  /** Adds a machine, whose test begins. Rejects where it is refused. */
  readonly add: (machine: MachineCreate) => Promise<MachineView>
  /** Tests it again; tells where that is refused. */
  readonly test: (name: string) => Promise<void>
  /** @returns whether it is gone */
  readonly remove: (name: string) => Promise<boolean>
  /** Why whoever is signed in may not add or remove one; undefined: may. */
  readonly whyNotChange: string | undefined
  /** Why whoever is signed in may not test one; undefined: may. */
  readonly whyNotTest: string | undefined
}

/** The actions of machines. What the pages know of them is read again afterwards. */
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
