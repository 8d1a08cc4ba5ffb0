import { useQuery } from '@tanstack/react-query'
import { examplesQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'

/** Begins a project from an example. */
export type FirstStepsProps = { readonly onChoose: (example: string) => void }

const TEMPLATE = {
  name: 'app',
  summary: 'The template of `drydock init`: an endpoint of each kind, to be changed into your own.',
  endpoints: [],
}

/** What there is to begin with: the template and the examples that come along, and what each of them shows. */
export function FirstSteps({ onChoose }: FirstStepsProps) {
  const { client } = useApp()
  const { data } = useQuery(examplesQuery(client))
  if (data === undefined) return null
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-section font-medium">Begin with an example</h2>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {[TEMPLATE, ...data.examples].map(({ name, summary, endpoints }) => (
          <li key={name} className="flex flex-col gap-2 rounded-control border border-line bg-surface-1 p-3">
            <h3 className="font-medium">{name === TEMPLATE.name ? 'Template' : name}</h3>
            <p className="flex-1 text-ink-2">{summary.replaceAll('`', '')}</p>
            {endpoints.length > 0 && <p className="text-small text-ink-2">Endpoints: {endpoints.join(', ')}</p>}
            <Button className="self-start" onClick={() => onChoose(name)}>
              Begin with {name === TEMPLATE.name ? 'the template' : name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
