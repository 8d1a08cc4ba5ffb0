import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { THIS_MACHINE } from '../../../src-main/contract/machines.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { machinesQuery } from '../use-machines.ts'
import type { ControlProps } from './Field.tsx'
import { machineChoices, whyNoWorkers } from './machine-choice.ts'
import { Select } from './Select.tsx'

/**
 * Empty means this machine. Keeps an unknown machine visible: an endpoint may name one before it is added and after it
 * is removed.
 */
export function MachineSelect({ value, onChange, ...rest }: ControlProps<string>) {
  const { client } = useApp()
  const { data } = useQuery(machinesQuery(client))
  const chosen = value === '' ? THIS_MACHINE : value
  const why = whyNoWorkers(chosen, data?.machines)
  return (
    <span className="flex flex-col items-start gap-1">
      <Select
        {...rest}
        choices={machineChoices(chosen, data?.machines)}
        value={chosen}
        onChange={(next) => onChange(next === THIS_MACHINE ? '' : next)}
      />
      {why !== undefined && (
        <span className="text-small text-warn-ink">
          {why}{' '}
          <Link to={ADDRESS.machines} className="text-accent underline">
            Machines
          </Link>
        </span>
      )}
    </span>
  )
}
