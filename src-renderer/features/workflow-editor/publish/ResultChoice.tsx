import type { GraphForm } from '../../../../src-main/domain/workflow/publish/graph-form.ts'
import type { ResultNode } from './exposable-inputs.ts'
import { useChangeForm } from './use-form.ts'

/** The results of a form, and the nodes that give some. */
export type ResultChoiceProps = { readonly form: GraphForm; readonly results: readonly ResultNode[] }

/** Which nodes' results are answered; with none chosen all are. */
export function ResultChoice({ form, results }: ResultChoiceProps) {
  const changeForm = useChangeForm()
  const toggle = (id: string, isChosen: boolean) =>
    changeForm(isChosen ? 'Answer a result' : 'Leave out a result', (form) => ({
      ...form,
      results: isChosen ? [...form.results, id] : form.results.filter((one) => one !== id),
    }))
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">Results</legend>
      <p className="text-small text-ink-2">
        {form.results.length === 0 ? 'All results are answered.' : 'Only these are answered, and nothing else is run.'}
      </p>
      {results.length === 0 && <p className="text-ink-2">No node of this graph gives a result: add one that saves.</p>}
      {results.map(({ id, title }) => (
        <label key={id} className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            checked={form.results.includes(id)}
            onChange={({ target }) => toggle(id, target.checked)}
          />
          {title} <span className="text-small text-ink-2">({id})</span>
        </label>
      ))}
    </fieldset>
  )
}
