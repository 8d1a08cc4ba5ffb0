import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { EDITORS, type EditorName } from '../../../src-main/contract/editors.ts'
import { NEW_REGISTRY } from '../../addresses.ts'
import { settingsQuery } from '../../api-client/system-queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { THEMES } from '../../store/app-slices.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Toggle } from '../../ui/form/Field.tsx'
import { FormRow } from '../../ui/form/FormRow.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { Page } from '../../ui/Page.tsx'
import { CommandLine, ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { fieldId, sectionId, showField, showSection } from '../../ui/use-address.ts'
import { useSidebar } from '../../ui/use-sidebar.ts'
import { AccessCard } from './AccessCard.tsx'
import { ChangesCard, KeysCard } from './KeysCard.tsx'
import { RegistriesCard } from './RegistriesCard.tsx'
import { SettingRow, useSaveSetting } from './SettingRow.tsx'
import { SETTING_TEXTS } from './setting-texts.ts'

const NAMES = Object.keys(SETTING_TEXTS) as (keyof typeof SETTING_TEXTS)[]

export function SettingsPages() {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(settingsQuery(client))
  const save = useSaveSetting()
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('setting')
  const isThere = data !== undefined
  useEffect(() => {
    if (wanted === null || !isThere) return
    showSection(wanted)
    showField(wanted)
  }, [wanted, isThere])
  const command = { id: 'add-registry', group: 'Settings here', label: 'Add registry credentials', also: 'new' }
  return (
    <Page crumbs={[{ name: 'Settings' }]} commands={[{ ...command, run: () => setSearch({ registry: NEW_REGISTRY }) }]}>
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-4">
        {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
        <Card title="Service">
          {data === undefined && error === null && <SkeletonRows rows={8} />}
          {data !== undefined &&
            NAMES.map((name) => (
              <div key={name} id={fieldId(name)}>
                <SettingRow name={name} settings={data} save={save} />
              </div>
            ))}
        </Card>
        {Object.entries(CARDS).map(([name, SettingsCard]) => (
          <div key={name} id={sectionId(name)}>
            <SettingsCard />
          </div>
        ))}
      </div>
    </Page>
  )
}

const EDITOR_CHOICES = Object.entries(EDITORS).map(([value, { name }]) => ({ value, label: name }))

function ThemeCard() {
  const { store } = useApp()
  const theme = useAppState((state) => state.theme)
  const { pinned, toggle } = useSidebar()
  const editor = useAppState((state) => state.editor)
  const showKeys = useAppState(({ commands }) => commands.find(({ id }) => id === 'keys')?.run)
  return (
    <Card title="This browser">
      <FormRow label="Theme" help="As in the system, or always light or dark.">
        {({ id }) => (
          <div className="flex h-7 items-center" id={id}>
            <SegmentedChoice label="Theme" choices={THEMES} value={theme} onChange={store.getState().setTheme} />
          </div>
        )}
      </FormRow>
      <FormRow
        label="Names in the sidebar"
        help="When off, the sidebar shows only icons, with their names on hover. The graph editor has its own setting."
      >
        {(ids) => <Toggle {...ids} checked={pinned} onChange={toggle} />}
      </FormRow>
      <FormRow
        label="Editor"
        help="Opens files from a traceback. The editor must be installed on this machine and registered for its links."
      >
        {(ids) => (
          <Select
            {...ids}
            choices={EDITOR_CHOICES}
            value={editor}
            onChange={(name) => store.getState().setEditor(name as EditorName)}
          />
        )}
      </FormRow>
      <FormRow label="Keys" help="Every page can be used with the keyboard alone.">
        {(ids) => (
          <Button
            id={ids.id}
            aria-label="Show all keys"
            aria-describedby={ids['aria-describedby']}
            className="self-start"
            onClick={showKeys}
          >
            Show all keys
          </Button>
        )}
      </FormRow>
    </Card>
  )
}

/** How to use the platform's tools with this service. The key is only printed by the command. */
function PlatformToolsCard() {
  return (
    <Card title="Platform tools">
      <div className="flex flex-col gap-3 px-3 py-2.5">
        <p className="text-small text-ink-2">
          The platform's own command line, SDKs and agents work with this service. Run this once in a terminal, or set
          the variables for one command only.
        </p>
        <CommandLine command={'eval "$(drydock platform env)"'} />
        <CommandLine command="drydock platform run -- rp flash deploy" />
      </div>
    </Card>
  )
}

const CARDS = {
  registries: RegistriesCard,
  key: AccessCard,
  keys: KeysCard,
  changes: ChangesCard,
  platform: PlatformToolsCard,
  browser: ThemeCard,
}
