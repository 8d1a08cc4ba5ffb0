import { ALL_FAULTS_OFF, type Faults } from '../../../src-main/contract/faults.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { useApp } from '../../store/app-context.ts'
import { useTell } from '../../ui/use-tell.ts'

export function useEndpointActions({ id, name }: Pick<LiveEndpoint, 'id' | 'name'>) {
  const { client, store } = useApp()
  const { attempt } = useTell()
  const { patchEndpoint, notify } = store.getState()
  const path = { endpointId: id }

  function setPaused(paused: boolean, undo: (() => void) | undefined) {
    const pause = async () => {
      await client.call(paused ? 'endpointPause' : 'endpointResume', { path })
      const text = paused ? `${name} is paused: jobs are accepted and wait.` : `${name} takes jobs again.`
      notify({ kind: 'done', text, ...(undo === undefined ? {} : { undo }) })
    }
    patchEndpoint(id, { paused })
    return attempt(pause, undefined, () => patchEndpoint(id, { paused: !paused }))
  }

  function setFaults(faults: Faults | undefined, before: Faults | undefined) {
    const set = async () => {
      await client.call('endpointUpdate', { path, body: { faults: { ...ALL_FAULTS_OFF, ...faults } } })
      const text = `Fault injection on ${name} is ${faults === undefined ? 'off' : 'on again'}.`
      notify({ kind: 'done', text, undo: () => void setFaults(before, faults) })
    }
    patchEndpoint(id, { faults })
    return attempt(set, undefined, () => patchEndpoint(id, { faults: before }))
  }

  return {
    /**
     * Turns all injected faults off.
     * @param faults the active ones, for undo
     */
    clearFaults: (faults: Faults) => setFaults(undefined, faults),
    pause: () => setPaused(true, () => void setPaused(false, undefined)),
    resume: () => setPaused(false, () => void setPaused(true, undefined)),
    tryAgain: () =>
      attempt(
        () => client.call('endpointResume', { path }),
        `The crash history of ${name} is cleared: the next worker starts without delay.`,
      ),
    remove: () => attempt(() => client.call('endpointDelete', { path }), `${name} is deleted.`),
  }
}
