import { SidePanel } from '../../../ui/SidePanel.tsx'
import { ParameterList } from './ParameterList.tsx'
import { PublishForm } from './PublishForm.tsx'
import { ResultChoice } from './ResultChoice.tsx'
import { useExposable, useForm } from './use-form.ts'

/** What is shown of the graph to others, and the endpoint that is made of it. */
export type PublishPanelProps = { readonly name: string; readonly onClose: () => void }

/** Which inputs are parameters, which results are answered, and the button that makes an endpoint of the graph. */
export function PublishPanel({ name, onClose }: PublishPanelProps) {
  const form = useForm()
  const { payload, problems, inputs, results } = useExposable()
  return (
    <SidePanel open onOpenChange={onClose} title={`Publish ${name}`} width="wide">
      <div className="flex flex-col gap-6">
        <p className="text-ink-2">
          A published graph is an endpoint of its own: clients give its parameters, and the workers of another endpoint
          do the work. Its inputs are also the form of this graph.
        </p>
        <ParameterList form={form} inputs={inputs} />
        <ResultChoice form={form} results={results} />
        <PublishForm name={name} form={form} payload={payload} problems={problems} />
      </div>
    </SidePanel>
  )
}
