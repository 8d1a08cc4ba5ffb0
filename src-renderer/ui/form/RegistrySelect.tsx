import { useQuery } from '@tanstack/react-query'
import { useApp } from '../../store/app-context.ts'
import type { ControlIds } from './control.ts'
import { Select } from './Select.tsx'

/** A choice of stored credentials of image registries, by name; an empty one is none. */
export type RegistrySelectProps = Partial<ControlIds> & {
  readonly value: string
  readonly onChange: (name: string) => void
  readonly disabled?: boolean
}

/** The stored credentials. What is chosen and no longer there stays in sight: a pull would fail for want of it. */
export function RegistrySelect({ value, onChange, ...rest }: RegistrySelectProps) {
  const { client } = useApp()
  const { data } = useQuery({
    queryKey: ['registries'],
    queryFn: ({ signal }) => client.call('registryList', { signal }),
  })
  const stored = data?.registries.map(({ name, server }) => ({ value: name, label: `${name} (${server})` })) ?? []
  const isStored = stored.some((one) => one.value === value)
  const unknown = { value, label: data === undefined ? value : `${value} (not stored)` }
  const choices = value === '' || isStored ? stored : [...stored, unknown]
  return <Select {...rest} choices={choices} none="none" value={value} onChange={onChange} />
}
