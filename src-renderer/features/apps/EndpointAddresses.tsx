import { Send } from 'lucide-react'
import { Link } from 'wouter'
import type { DeployedEndpoint } from '../../../src-main/contract/app.ts'
import { ADDRESS } from '../../addresses.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'

/** Endpoints that answer. `elsewhere`: on another service than this one, so that this one has no pages of them. */
export type EndpointAddressesProps = {
  readonly endpoints: readonly DeployedEndpoint[]
  readonly elsewhere?: boolean
}

/** The addresses of endpoints, and what each of them answers. */
export function EndpointAddresses({ endpoints, elsewhere = false }: EndpointAddressesProps) {
  return (
    <ul aria-label="Addresses" className="flex flex-col">
      {endpoints.map((endpoint) => (
        <li
          key={endpoint.resource}
          className="flex flex-wrap items-center gap-x-3 border-b border-line/60 px-3 py-1 last:border-0"
        >
          <span className="min-w-40 truncate font-medium">
            {elsewhere ? (
              endpoint.resource
            ) : (
              <Link to={ADDRESS.endpoint(endpoint.id)} className="hover:underline">
                {endpoint.resource}
              </Link>
            )}
          </span>
          <span className="flex min-w-0 items-center gap-1">
            <code className="truncate font-mono text-small">{endpoint.url}</code>
            <CopyButton text={endpoint.url} what={`address of ${endpoint.resource}`} />
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-ink-2" title={answersText(endpoint)}>
            {answersText(endpoint)}
          </span>
          {!elsewhere && (
            <Link
              to={ADDRESS.endpoint(endpoint.id, 'requests')}
              className="flex items-center gap-1.5 text-accent hover:underline"
            >
              <Send aria-hidden className="size-4" /> Send request
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What an endpoint answers: its routes, or its functions. */
export function answersText({ loadBalanced, routes, functions }: DeployedEndpoint): string {
  return (loadBalanced ? routes : functions).join(', ')
}
