import type { ReactNode } from 'react'
import { CommandLine, Typed } from '../../ui/PageStates.tsx'

export function FirstMachine({ icon }: { readonly icon: ReactNode }) {
  return (
    <section
      aria-label="The first machine"
      className="mx-auto flex w-full max-w-2xl flex-col items-center gap-4 px-4 py-10"
    >
      <div className="text-ink-2 [&_svg]:size-8 [&_svg]:stroke-[1.25]">{icon}</div>
      <p className="text-center text-ink-2">
        All workers run on this machine. Any machine with Docker that you can log in to by SSH can run them too; the
        queue, the pages and your files stay here.
      </p>
      <ol className="flex w-full flex-col gap-4">
        <Step at={1} title="Check that you can reach its Docker" command="ssh ada@gpu-box docker version">
          It must answer without a password, and show a client and a server. If not, add your key there (
          <Typed command="ssh-copy-id" />
          ), install Docker, or add your user there to the docker group.
        </Step>
        <Step at={2} title="Add it under a name" command="drydock machine add gpu-box --ssh ada@gpu-box">
          The same as the button above. Shows each check and how to fix it. Nothing is installed there.
        </Step>
        <Step at={3} title="Run a first job there" command="drydock machine test gpu-box --job">
          Creates the endpoint hello-gpu-box and sends it a job. Building the worker image there takes about a minute
          the first time.
        </Step>
        <Step at={4} title="Run your own endpoint there" command="drydock endpoint update ENDPOINT --on gpu-box">
          Or choose the machine in the settings of an endpoint, for a new one with <Typed command="--on gpu-box" />, for
          an app with <Typed command="drydock deploy --on gpu-box" />.
        </Step>
      </ol>
    </section>
  )
}

type StepProps = {
  readonly at: number
  readonly title: string
  readonly command: string
  readonly children: ReactNode
}

function Step({ at, title, command, children }: StepProps) {
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
      <span
        aria-hidden
        className="flex size-6 items-center justify-center rounded-full bg-surface-2 text-small font-medium"
      >
        {at}
      </span>
      <h2 className="leading-6 font-medium">{title}</h2>
      <div className="col-start-2 flex flex-col items-start gap-1">
        <CommandLine command={command} />
        <p className="text-small text-ink-2">{children}</p>
      </div>
    </li>
  )
}
