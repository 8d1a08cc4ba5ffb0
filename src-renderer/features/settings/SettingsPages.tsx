import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { NEW_REGISTRY } from '../../addresses.ts'
import { settingsQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import type { Command } from '../../store/commands-slice.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Page } from '../../ui/Page.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { fieldPlace, sectionPlace, showField, showSection } from '../../ui/show-section.ts'
import { AccessCard } from './AccessCard.tsx'
import { LookCard } from './LookCard.tsx'
import { RegistriesCard } from './RegistriesCard.tsx'
import { SettingRow } from './SettingRow.tsx'
import { SETTING_TEXTS } from './setting-texts.ts'
import { useSaveSetting } from './use-save-setting.ts'

const CRUMBS = [{ name: 'Settings' }]
const NAMES = Object.keys(SETTING_TEXTS) as (keyof typeof SETTING_TEXTS)[]

/** The settings of the service, and of this browser. Each is saved by itself. */
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
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: 'add-registry',
        group: 'Settings here',
        label: 'Add registry credentials',
        also: 'new',
        run: () => setSearch({ registry: NEW_REGISTRY }),
      },
    ],
    [setSearch],
  )
  return (
    <Page crumbs={CRUMBS} commands={commands}>
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-4">
        {error !== null && (
          <ErrorNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
        )}
        <Card title="Service">
          {data === undefined && error === null && <SkeletonRows rows={8} />}
          {data !== undefined &&
            NAMES.map((name) => (
              <div key={name} id={fieldPlace(name)}>
                <SettingRow name={name} settings={data} save={save} />
              </div>
            ))}
        </Card>
        <div id={sectionPlace('registries')}>
          <RegistriesCard />
        </div>
        <div id={sectionPlace('key')}>
          <AccessCard />
        </div>
        <div id={sectionPlace('browser')}>
          <LookCard />
        </div>
      </div>
    </Page>
  )
}
