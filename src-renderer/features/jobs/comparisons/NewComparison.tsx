import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { GitCompareArrows, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import { limit } from '../../../../src-main/contract/limits.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { CONTROL, Field, Labelled } from '../../../ui/form/Field.tsx'
import { Form, Submit } from '../../../ui/form/Form.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { Inputs, useChosenInputs } from './ComparisonInputs.tsx'
import {
  type ComparisonDraft,
  type DraftProblems,
  NO_RULES,
  type RuleTexts,
  readComparison,
  TOLERANCES,
  type Tolerance,
  type VersionDraft,
} from './comparison-draft.ts'

const KINDS = ['All versions', 'Bisect'] as const
const MEANINGS = {
  compare: 'Compares each version with the first one.',
  bisect: 'Finds the first version that differs, in a few rounds. List the oldest version first.',
} as const

export function NewComparison({ onClose }: { readonly onClose: () => void }) {
  const { client } = useApp()
  const [, go] = useLocation()
  const chosen = useChosenInputs()
  const endpoints = useAppState(
    useShallow((state) =>
      Object.values(state.live.endpoints)
        .filter(({ loadBalanced }) => loadBalanced === undefined)
        .map(({ id }) => id),
    ),
  )
  const first = { endpoint: chosen.filter.endpoint ?? endpoints[0] ?? '', image: '', set: '' }
  const [draft, setDraft] = useState<ComparisonDraft>(() => ({
    mode: 'compare',
    name: '',
    versions: [first, first],
    tolerance: 'Exact',
    rules: NO_RULES,
    ignore: '',
  }))
  const [file, setFile] = useState<File>()
  const [problems, setProblems] = useState<DraftProblems>({})
  const change = (part: Partial<ComparisonDraft>) => setDraft((before) => ({ ...before, ...part }))
  const start = useMutation({
    async mutationFn() {
      const inputs = await chosen.inputs(draft.versions[0]?.endpoint ?? '', file)
      const read = readComparison(draft, inputs)
      setProblems('problems' in read ? read.problems : {})
      return 'body' in read ? client.call('comparisonCreate', { body: read.body }) : undefined
    },
    onSuccess: (made) => made && go(ADDRESS.comparison(made.id)),
  })
  return (
    <SidePanel open onOpenChange={onClose} title="New comparison" width="wide">
      <Form onSubmit={() => start.mutate()} noValidate className="flex flex-col gap-5">
        <section aria-label="Versions" className="flex flex-col gap-3">
          <h3 className="font-medium">Versions</h3>
          <div className="flex flex-wrap items-center gap-2">
            <SegmentedChoice
              label="Kind of comparison"
              choices={KINDS}
              value={draft.mode === 'bisect' ? 'Bisect' : 'All versions'}
              onChange={(kind) => change({ mode: kind === 'Bisect' ? 'bisect' : 'compare' })}
            />
            <span className="text-small text-ink-2">{MEANINGS[draft.mode]}</span>
          </div>
          <Versions
            versions={draft.versions}
            endpoints={endpoints}
            problems={problems}
            onChange={(versions) => change({ versions })}
          />
        </section>
        <Inputs
          chosen={chosen}
          endpoint={draft.versions[0]?.endpoint ?? ''}
          file={file}
          onFile={setFile}
          problem={problems.file}
        />
        <Rules draft={draft} problems={problems} onChange={change} />
        <Field
          label="Name"
          placeholder="Optional"
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Submit error={start.error} disabled={start.isPending}>
          <GitCompareArrows aria-hidden /> Start comparison
        </Submit>
      </Form>
    </SidePanel>
  )
}

type VersionsProps = {
  readonly versions: readonly VersionDraft[]
  readonly endpoints: readonly string[]
  readonly problems: DraftProblems
  readonly onChange: (versions: readonly VersionDraft[]) => void
}

function Versions({ versions, endpoints, problems, onChange }: VersionsProps) {
  const set = (at: number, part: Partial<VersionDraft>) =>
    onChange(versions.map((one, index) => (index === at ? { ...one, ...part } : one)))
  const add = () => onChange([...versions, versions.at(-1) ?? { endpoint: endpoints[0] ?? '', image: '', set: '' }])
  return (
    <>
      {versions.map((version, at) => {
        const name = at === 0 ? 'Version 1, the reference' : `Version ${at + 1}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a version is told by its place alone
          <fieldset key={at} className="flex flex-col gap-2 rounded-control border border-line p-3">
            <legend className="px-1 text-small text-ink-2">{name}</legend>
            <div className="flex items-center gap-2">
              <Select
                aria-label={`Endpoint of version ${at + 1}`}
                choices={endpoints.map((id) => ({ value: id, label: id }))}
                value={version.endpoint}
                onChange={(endpoint) => set(at, { endpoint })}
                className="flex-1"
              />
              {versions.length > 2 && (
                <IconButton
                  label={`Remove version ${at + 1}`}
                  onClick={() => onChange(versions.filter((_one, index) => index !== at))}
                >
                  <X />
                </IconButton>
              )}
            </div>
            <div className="grid gap-3 sm:grid-cols-2">
              <Field
                label="Image"
                placeholder="Image of the endpoint"
                hint="Runs on a copy of the endpoint."
                value={version.image}
                onChange={({ target }) => set(at, { image: target.value })}
              />
              <Labelled
                label="Changed input values"
                hint="One NAME=VALUE per line; for a graph NODE.INPUT=VALUE."
                problem={problems[`set ${at}`]}
              >
                {(ids) => (
                  <textarea
                    {...ids}
                    rows={2}
                    placeholder="3.cfg=7"
                    spellCheck={false}
                    value={version.set}
                    onChange={({ target }) => set(at, { set: target.value })}
                    className={clsx(CONTROL, 'py-1 font-mono text-small')}
                  />
                )}
              </Labelled>
            </div>
          </fieldset>
        )
      })}
      <Button disabled={versions.length >= limit('comparisonVersions')} onClick={add} className="self-start">
        <Plus aria-hidden /> Add version
      </Button>
    </>
  )
}

const MEANING_OF: Readonly<Record<Tolerance, string>> = {
  Exact: 'Outputs must be identical.',
  Close: 'Numbers may differ by 0.1 %, pictures need a similarity (SSIM) of 0.98.',
  Custom: 'Leave empty to require identical outputs.',
}

const RULES: readonly { readonly name: keyof RuleTexts; readonly label: string; readonly hint: string }[] = [
  { name: 'relative', label: 'Relative tolerance', hint: 'For numbers, like 0.001' },
  { name: 'absolute', label: 'Absolute tolerance', hint: 'For numbers, like 0.5' },
  { name: 'similarity', label: 'Minimum similarity (SSIM)', hint: 'For pictures, like 0.98' },
  { name: 'pixels', label: 'Maximum share of pixels', hint: 'Pixels that may differ, like 0.01' },
  { name: 'distance', label: 'Pixel tolerance', hint: 'Per colour channel, 0 to 255, like 8' },
  { name: 'slower', label: 'Maximum slowdown', hint: 'Factor of the execution time, like 1.5' },
]

type RulesProps = {
  readonly draft: ComparisonDraft
  readonly problems: DraftProblems
  readonly onChange: (part: Partial<ComparisonDraft>) => void
}

function Rules({ draft: { tolerance, rules, ignore }, problems, onChange }: RulesProps) {
  return (
    <section aria-label="Tolerance" className="flex flex-col gap-3">
      <h3 className="font-medium">Tolerance</h3>
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedChoice
          label="Tolerance"
          choices={TOLERANCES}
          value={tolerance}
          onChange={(next) => onChange({ tolerance: next })}
        />
        <span className="text-small text-ink-2">{MEANING_OF[tolerance]}</span>
      </div>
      {tolerance === 'Custom' && (
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {RULES.map(({ name, label, hint }) => (
            <Field
              key={name}
              label={label}
              hint={hint}
              inputMode="decimal"
              problem={problems[name]}
              value={rules[name]}
              onChange={({ target }) => onChange({ rules: { ...rules, [name]: target.value } })}
            />
          ))}
        </div>
      )}
      <Field
        label="Ignored paths"
        placeholder="meta.seed, **.ms"
        hint="Separated by commas; * matches one name, ** any number of them."
        value={ignore}
        onChange={({ target }) => onChange({ ignore: target.value })}
      />
    </section>
  )
}
