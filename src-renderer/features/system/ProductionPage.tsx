import { DIFFERENCES, type Difference, PROBE_HINT } from '../../../src-main/contract/differences.ts'
import { ADDRESS } from '../../addresses.ts'
import { Card } from '../../ui/Card.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { Said } from '../../ui/PageStates.tsx'
import { SystemPage } from './SystemPage.tsx'

export function ProductionPage() {
  return (
    <SystemPage tab="production">
      <p className="text-ink-2">
        Where Drydock differs from the platform, and the setting that removes a difference. Settings of the service are
        in{' '}
        <TextLink to={ADDRESS.settings} className="underline">
          Settings
        </TextLink>
        , all others on the page of an endpoint. <Said text={PROBE_HINT} />
      </p>
      {Object.entries<readonly Difference[]>(DIFFERENCES).map(([topic, rows]) => (
        <Card key={topic} title={topic}>
          <ul className="divide-y divide-line">
            {rows.map((row) => (
              <DifferenceRow key={row.what} row={row} />
            ))}
          </ul>
        </Card>
      ))}
    </SystemPage>
  )
}

function DifferenceRow({ row: { what, here, there, evidence, setting } }: { readonly row: Difference }) {
  const fields = [
    ['Here', here],
    ['On the platform', there],
    ['Setting', setting],
    ['Evidence', evidence],
  ].filter(([, value]) => value !== undefined)
  return (
    <li className="grid gap-x-3 gap-y-1 px-3 py-2 md:grid-cols-[12rem_minmax(0,1fr)]">
      <h3 className="font-medium">{what}</h3>
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-0.5">
        {fields.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="break-words">{value?.replaceAll('`', '')}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}
