import { useMemo } from 'react'
import { ALL_FAULTS_OFF, type Faults } from '../../../src-main/contract/faults.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { useApp } from '../../store/app-context.ts'

export type EndpointActions = {
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
  /** Clears crashes, so that the next worker starts at once. */
  readonly tryAgain: () => Promise<void>
  /**
   * Turns all injected faults off.
   * @param faults the active ones, for undo
   */
  readonly clearFaults: (faults: Faults) => Promise<void>
  readonly remove: () => Promise<boolean>
}

export function useEndpointActions({ id, name }: Pick<LiveEndpoint, 'id' | 'name'>): EndpointActions {
  const { client, store } = useApp()
  return useMemo(() => {
    const { patchEndpoint, notify } = store.getState()
    const path = { endpointId: id }

    async function setPaused(paused: boolean, undo: (() => void) | undefined): Promise<void> {
      patchEndpoint(id, { paused })
      try {
        await client.call(paused ? 'endpointPause' : 'endpointResume', { path })
        const text = paused ? `${name} is paused: jobs are accepted and wait.` : `${name} takes jobs again.`
        notify({ kind: 'done', text, ...(undo === undefined ? {} : { undo }) })
      } catch (error) {
        patchEndpoint(id, { paused: !paused })
        notify({ kind: 'error', text: (error as Error).message })
      }
    }

    async function setFaults(faults: Faults | undefined, before: Faults | undefined): Promise<void> {
      patchEndpoint(id, { faults })
      try {
        await client.call('endpointUpdate', { path, body: { faults: { ...ALL_FAULTS_OFF, ...faults } } })
        const text =
          faults === undefined ? `Fault injection on ${name} is off.` : `Fault injection on ${name} is on again.`
        notify({ kind: 'done', text, undo: () => void setFaults(before, faults) })
      } catch (error) {
        patchEndpoint(id, { faults: before })
        notify({ kind: 'error', text: (error as Error).message })
      }
    }

    return {
      clearFaults: (faults) => setFaults(undefined, faults),
      pause: () => setPaused(true, () => void setPaused(false, undefined)),
      resume: () => setPaused(false, () => void setPaused(true, undefined)),
      async tryAgain() {
        try {
          await client.call('endpointResume', { path })
          notify({
            kind: 'done',
            text: `The crash history of ${name} is cleared: the next worker starts without delay.`,
          })
        } catch (error) {
          notify({ kind: 'error', text: (error as Error).message })
        }
      },
      async remove() {
        try {
          await client.call('endpointDelete', { path })
          notify({ kind: 'done', text: `${name} is deleted.` })
          return true
        } catch (error) {
          notify({ kind: 'error', text: (error as Error).message })
          return false
        }
      },
    }
  }, [client, store, id, name])
}
