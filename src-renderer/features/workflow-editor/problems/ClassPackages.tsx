import { useQuery } from '@tanstack/react-query'
import type { NodePackage } from '../../../../src-main/domain/workflow/packages/node-package.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Missing } from './find-problems.ts'

// The index is a file that somebody puts into the data folder; ms.
const STALE_AFTER_MS = 60_000

/** Where the package of a missing class is to be had: by the index in the data folder, else as the document names it. */
export function ClassPackages({ missing: { name, packages: named = [] } }: { readonly missing: Missing }) {
  const { client } = useApp()
  const { data } = useQuery({
    queryKey: ['node-packages', name],
    queryFn: ({ signal }) => client.call('nodePackages', { query: { class: name }, signal }),
    staleTime: STALE_AFTER_MS,
  })
  const packages = withVersions(data?.packages ?? [], named)
  return (
    <>
      {packages.map(({ name: title, version, address }) =>
        address === undefined ? null : (
          <a
            key={address}
            href={address}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="self-start break-all text-accent underline"
          >
            Get {title}
            {version !== undefined && ` ${version}`} at {address.replace('https://', '')}
          </a>
        ),
      )}
      {data?.fault !== undefined && (
        <p className="text-small text-warn-ink">node-packages.json in the data folder cannot be read: {data.fault}.</p>
      )}
    </>
  )
}

// Only a document knows which version it was made with.
function withVersions(indexed: readonly NodePackage[], named: readonly NodePackage[]): readonly NodePackage[] {
  if (indexed.length === 0) return named
  return indexed.map((one) => named.find(({ address }) => address === one.address) ?? one)
}
