import { Field } from '../../ui/Field.tsx'
import { Labelled } from '../../ui/form/Labelled.tsx'
import { Toggle } from '../../ui/form/Toggle.tsx'
import { VariablesField } from '../../ui/form/VariablesField.tsx'
import { PathField } from '../../ui/path/PathField.tsx'
import type { NewEndpointForm } from './new-endpoint.ts'

/** What is asked of a command. `isWeb`: it answers HTTP instead of taking jobs. */
export type CommandFieldsProps = {
  readonly isWeb: boolean
  readonly form: NewEndpointForm
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

/** A command line, where it runs, and what its processes get. */
export function CommandFields({ isWeb, form, onChange }: CommandFieldsProps) {
  return (
    <>
      <Field
        label="Command"
        value={form.command}
        onChange={(event) => onChange({ command: event.target.value })}
        placeholder={isWeb ? 'uvicorn app:app --port $PORT' : 'python3 worker.py'}
        hint={
          isWeb
            ? 'Starts a web server on 127.0.0.1 at $PORT, which answers GET /ping with 200 once it is ready.'
            : 'Starts a worker that takes jobs, like a program that calls runpod.serverless.start.'
        }
        required
      />
      <PathField
        label="Working folder"
        wants="folder"
        value={form.cwd}
        onChange={(cwd) => onChange({ cwd })}
        placeholder="/home/ada/project"
        hint="The command starts here, on the machine of the service, with its PATH."
        height="h-48"
      />
      <Labelled label="Variables" hint="Environment of its processes. A .env file can be pasted into a name.">
        {(ids) => <VariablesField {...ids} value={form.variables} onChange={(variables) => onChange({ variables })} />}
      </Labelled>
      <Labelled
        label="Keep one worker ready"
        hint="It starts at once, so that you see whether the command runs. Without it the first request waits for that."
      >
        {({ id, ...ids }) => (
          <Toggle
            id={id}
            aria-describedby={ids['aria-describedby']}
            checked={form.ready}
            onChange={(ready) => onChange({ ready })}
          />
        )}
      </Labelled>
    </>
  )
}
