import { useQuery } from '@tanstack/react-query'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { environmentQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Nothing } from '../../ui/Values.tsx'

const NO_PLACE = { app: '', environment: '' }

/** The names of the variables that workers of an endpoint get from its settings and its app; never their values. */
export function EnvironmentNames({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const { app, env } = endpoint
  const place = app === undefined ? NO_PLACE : { app: app.name, environment: app.environment }
  const { data } = useQuery({ ...environmentQuery(client, place), enabled: app !== undefined })
  const names = [...new Set([...Object.keys(env), ...(data?.variables.map(({ name }) => name) ?? [])])].toSorted()
  if (names.length === 0) return <Nothing />
  return (
    <ul className="flex flex-wrap gap-1">
      {names.map((name) => (
        <li key={name} className="rounded-control bg-surface-2 px-1.5 font-mono text-small">
          {name}
        </li>
      ))}
    </ul>
  )
}
