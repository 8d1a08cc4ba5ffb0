import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { typesIn } from '../../../../src-main/domain/workflow/classes-file.ts'
import { type ClassPackage, classPackages } from '../../../../src-main/domain/workflow/packages/class-packages.ts'
import { useApp } from '../../../store/app-context.ts'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'

/** Which classes are listed: those of an endpoint, as they were read at a time; undefined: they came with Drydock. */
export type PackageListProps = { readonly endpointId: string; readonly readAt: number | undefined }

/** The packages of a server with their classes. Read when somebody asks, since the definitions are megabytes. */
export function PackageList({ endpointId, readAt }: PackageListProps) {
  const { client } = useApp()
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['node-packages-of', endpointId, readAt],
    queryFn: async ({ signal }) => {
      const { text } = await client.call('nodeTypes', { query: { endpoint: endpointId }, signal })
      return classPackages(typesIn(text).values())
    },
    enabled: isOpen,
  })
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-ink-2">Packages</summary>
      {error !== null && <ErrorNotice error={error} />}
      {isOpen && data === undefined && error === null && <p className="text-ink-2">Reading them.</p>}
      <ul className="mt-1 flex flex-col gap-1">
        {data?.map((one) => (
          <li key={`${one.kind} ${one.name}`}>
            <Package one={one} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Package({ one: { name, kind, classes } }: { readonly one: ClassPackage }) {
  const count = classes.length === 1 ? '1 class' : `${classes.length} classes`
  if (kind !== 'custom')
    return (
      <>
        {name}: {count}
      </>
    )
  return (
    <details>
      <summary className="w-fit cursor-pointer break-all">
        {name}: {count}
      </summary>
      <p className="ml-4 break-words text-small text-ink-2">{classes.join(', ')}</p>
    </details>
  )
}
