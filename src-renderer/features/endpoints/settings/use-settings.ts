import { useMemo, useState } from 'react'
import type { EndpointView } from '../../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { SETTING_SECTIONS } from '../../../../src-main/features/endpoints/rules/settings/sections.ts'
import { type Raw, type SettingField, valueAt } from '../../../../src-main/features/endpoints/rules/settings/setting.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { type Draft, draftAfterSave, pathOf, type ReadDraft, readDraft, typed, undoBody } from './settings-draft.ts'

export type SettingsForm = ReturnType<typeof useSettings>

/** Lives with the endpoint's page, so that other tabs do not lose it. */
export type DraftState = { readonly draft: Draft; readonly setDraft: (change: (draft: Draft) => Draft) => void }

const FIELDS = SETTING_SECTIONS.flatMap(({ fields }) => fields)
// A field absent from a response no longer exists in the settings.
const MAY_BE_MISSING = {
  handler: undefined,
  command: undefined,
  cwd: undefined,
  container: undefined,
  faults: undefined,
}

export function useSettings(endpoint: LiveEndpoint, { draft, setDraft }: DraftState) {
  const { client, store } = useApp()
  const [refused, setRefused] = useState<{ readonly path: string | undefined; readonly text: string }>()
  const [saving, setSaving] = useState(false)
  const plain = useMemo(() => readDraft(FIELDS, endpoint, draft), [endpoint, draft])
  const read = useMemo<ReadDraft>(
    () =>
      refused?.path === undefined ? plain : { ...plain, faults: { [refused.path]: refused.text, ...plain.faults } },
    [plain, refused],
  )
  const path = { endpointId: endpoint.id }
  const { patchEndpoint, notify } = store.getState()
  const show = (view: EndpointView) => patchEndpoint(endpoint.id, { ...MAY_BE_MISSING, ...view })
  const change = (next: (draft: Draft) => Draft) => {
    setRefused(undefined)
    setDraft(next)
  }

  async function send(body: object): Promise<EndpointView> {
    const { warning, ...stored } = await client.call('endpointUpdate', { path, body })
    show(stored)
    if (warning !== undefined) notify({ kind: 'error', text: warning })
    return stored
  }

  // Reads again before writing, since the event stream may be behind.
  async function save(): Promise<void> {
    setSaving(true)
    try {
      const fresh = await client.call('endpointRead', { path })
      show(fresh)
      const current = readDraft(FIELDS, fresh, draft)
      if (Object.keys(current.conflicts).length > 0) return
      const stored = await send(current.body)
      setDraft((now) => draftAfterSave(now, draft, stored))
      const undo = undoBody(fresh, current.changes)
      const takeBack = () => void send(undo ?? {}).catch(refuse)
      notify({ kind: 'done', text: `The settings of ${endpoint.name} are saved.`, ...(undo && { undo: takeBack }) })
    } catch (error) {
      refuse(error)
    } finally {
      setSaving(false)
    }
  }

  function refuse(error: unknown): void {
    const { message } = error as Error
    const [, issuePath = '', why = message] = /^([\w.]+): (.*)$/s.exec(message) ?? []
    const at = pathOf(FIELDS, issuePath)
    setRefused({ path: at, text: at === undefined ? message : why })
  }

  return {
    draft,
    read,
    saving,
    refusal: refused?.path === undefined ? refused?.text : undefined,
    type: (field: SettingField, raw: Raw) => change((before) => typed(before, field, endpoint, raw)),
    revert: (at: string) => change(({ [at]: _gone, ...others }) => others),
    keepMine: (at: string) =>
      change((before) => {
        const entry = before[at]
        if (entry === undefined) return before
        return { ...before, [at]: { ...entry, base: JSON.stringify(valueAt(endpoint, at)) } }
      }),
    discard: () => change(() => ({})),
    save,
  }
}

const NOTHING: Draft = {}

export function useSettingsDraft(endpointId: string): DraftState {
  const { store } = useApp()
  const name = `settings ${endpointId}`
  const draft = useAppState(({ drafts }) => (drafts[name] ?? NOTHING) as Draft)
  return useMemo(() => {
    const setDraft: DraftState['setDraft'] = (change) => {
      const state = store.getState()
      state.setDraft(name, change((state.drafts[name] ?? NOTHING) as Draft))
    }
    return { draft, setDraft }
  }, [store, name, draft])
}
