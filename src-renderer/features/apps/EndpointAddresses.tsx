import { Cpu, ScrollText, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { DeployedEndpoint } from '../../../src-main/contract/app.ts'
import { ADDRESS, type EndpointTab } from '../../addresses.ts'
import { CopyButton } from '../../ui/Button.tsx'
import { CutAddress } from '../../ui/Values.tsx'

export type EndpointAddressesProps = {
  readonly endpoints: readonly DeployedEndpoint[]
  /** Opens pages of another service; missing: the endpoints are local. */
  readonly openElsewhere?: ((address: string) => void) | undefined
}

const TABS = [
  { tab: 'requests', label: 'Send request', icon: <Send aria-hidden className="size-4" /> },
  { tab: 'workers', label: 'Workers', icon: <Cpu aria-hidden className="size-4" /> },
  { tab: 'logs', label: 'Logs', icon: <ScrollText aria-hidden className="size-4" /> },
] as const satisfies readonly { tab: EndpointTab; label: string; icon: ReactNode }[]

export function EndpointAddresses({ endpoints, openElsewhere }: EndpointAddressesProps) {
  return (
    <ul aria-label="Addresses" className="flex flex-col">
      {endpoints.map((endpoint) => (
        <li
          key={endpoint.resource}
          aria-label={endpoint.resource}
          className="flex flex-wrap items-center gap-x-3 border-b border-line/60 px-3 py-1 last:border-0"
        >
          <PageLink
            to={ADDRESS.endpoint(endpoint.id)}
            openElsewhere={openElsewhere}
            className="min-w-40 truncate text-left font-medium"
          >
            {endpoint.resource}
          </PageLink>
          <span className="flex min-w-0 items-center gap-1">
            <CutAddress url={endpoint.url} />
            <CopyButton text={endpoint.url} what={`address of ${endpoint.resource}`} />
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-ink-2" title={routesText(endpoint)}>
            {routesText(endpoint)}
          </span>
          {TABS.map(({ tab, label, icon }) => (
            <PageLink
              key={tab}
              to={ADDRESS.endpoint(endpoint.id, tab)}
              openElsewhere={openElsewhere}
              className="flex shrink-0 items-center gap-1.5 text-accent"
            >
              {icon} {label}
            </PageLink>
          ))}
        </li>
      ))}
    </ul>
  )
}

type PageLinkProps = Pick<EndpointAddressesProps, 'openElsewhere'> & {
  readonly to: string
  readonly className: string
  readonly children: ReactNode
}

/** Pages of another service need a new sign-in link first. */
function PageLink({ to, openElsewhere, className, children }: PageLinkProps) {
  if (openElsewhere === undefined)
    return (
      <Link to={to} className={`${className} hover:underline`}>
        {children}
      </Link>
    )
  return (
    <button type="button" onClick={() => openElsewhere(to)} className={`${className} cursor-pointer hover:underline`}>
      {children}
    </button>
  )
}

export function routesText({ loadBalanced, routes, functions }: DeployedEndpoint): string {
  return (loadBalanced ? routes : functions).join(', ')
}
