import type { ModelUse, ModelView } from '../../../src-main/contract/models.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { bytes } from '../../ui/format.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import type { Column } from '../../ui/table/column.ts'

export type ModelRow = ModelView & { readonly uses: readonly ModelUse[] }

export const rowIdOf = ({ folder, directory, name }: ModelView): string => `${folder}:${directory}/${name}`

export function kindText({ kind, architecture, format }: ModelView): string {
  const known = [kind, architecture].filter((part) => part !== undefined)
  return known.length === 0 ? (format === 'unknown' ? 'not known' : format) : known.join(' · ')
}

export const MODEL_COLUMNS: readonly Column<ModelRow>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 260,
    grow: 3,
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ name }) => (
      <span className="font-medium" title={name}>
        {name}
      </span>
    ),
  },
  {
    id: 'directory',
    header: 'Directory',
    width: 140,
    grow: 1,
    sortBy: ({ directory }) => directory,
    cell: ({ directory }) => directory,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 190,
    grow: 2,
    sortBy: kindText,
    cell: (model) =>
      model.fault === undefined ? kindText(model) : <StateDot tone="failed" text="Damaged" detail={model.fault} />,
  },
  {
    id: 'precision',
    header: 'Precision',
    width: 90,
    sortBy: ({ precision }) => precision,
    cell: ({ precision = '' }) => precision,
  },
  {
    id: 'bytes',
    header: 'Size',
    width: 90,
    align: 'right',
    sortBy: (model) => model.bytes,
    cell: (model) => bytes(model.bytes),
  },
  {
    id: 'uses',
    header: 'Used by',
    width: 110,
    align: 'right',
    sortBy: ({ uses }) => uses.length,
    cell: ({ uses }) => (uses.length === 0 ? <span className="text-ink-2">nothing</span> : counted(uses.length, 'use')),
  },
]
