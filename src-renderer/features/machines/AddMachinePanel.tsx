import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { Field, Labelled, Toggle } from '../../ui/form/Field.tsx'
import { Form, Submit } from '../../ui/form/Form.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { machinesQuery } from '../../ui/use-machines.ts'
import { type MachineDraft, NO_DRAFT, readMachineDraft, WAYS } from './machine-draft.ts'
import { TestSteps } from './TestSteps.tsx'
import { useMachineActions } from './use-machine-actions.ts'

export function AddMachinePanel({ onClose }: { readonly onClose: () => void }) {
  const { add } = useMachineActions()
  const [draft, setDraft] = useState<MachineDraft>(NO_DRAFT)
  const [isTried, setTried] = useState(false)
  const read = readMachineDraft(draft)
  const adding = useMutation({ mutationFn: add })
  const submit = () => {
    setTried(true)
    if ('machine' in read) adding.mutate(read.machine)
  }
  if (adding.data !== undefined) return <Added name={adding.data.name} onClose={onClose} />
  const problems = isTried && 'problems' in read ? read.problems : {}
  const field = (name: keyof typeof NO_DRAFT.texts) => ({
    value: draft.texts[name],
    problem: problems[name],
    onChange: (event: { readonly target: { readonly value: string } }) => {
      const { value } = event.target
      setDraft((before) => ({ ...before, texts: { ...before.texts, [name]: value } }))
    },
  })
  return (
    <SidePanel open onOpenChange={onClose} title="Add machine">
      <Form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field
          label="Name"
          placeholder="gpu-box"
          hint="Endpoints choose the machine by this name, and messages show it."
          {...field('name')}
        />
        <div className="flex flex-col items-start gap-1">
          <span className="font-medium">How it is reached</span>
          <SegmentedChoice
            label="How it is reached"
            choices={WAYS}
            value={draft.way}
            onChange={(way) => setDraft((before) => ({ ...before, way }))}
          />
        </div>
        {draft.way === 'SSH' && (
          <>
            <Needs>
              The machine needs Docker, and your user there must be allowed to use it. Nothing is installed there. The
              service uses the <code className="font-mono text-small">ssh</code> of this machine with your own keys and
              known hosts, and asks nobody for a password: this must work in a terminal first.
            </Needs>
            <Field label="SSH address" placeholder="ada@gpu-box" {...field('to')} hint={terminalLine(draft)} />
            <Field
              label="Port"
              placeholder="22"
              inputMode="numeric"
              hint="Default: from your SSH configuration."
              {...field('port')}
            />
          </>
        )}
        {draft.way === 'Docker context' && (
          <>
            <Needs>
              A context that the docker command of this machine knows: a second engine of this machine, a virtual
              machine of Docker Desktop or Colima, or one that is reached by SSH.
            </Needs>
            <Field label="Context" placeholder="colima" hint="One of: docker context ls" {...field('context')} />
          </>
        )}
        {draft.way === 'TCP' && (
          <>
            <Needs>
              An engine that listens at an address of this machine, as in a virtual machine. Add an engine of another
              machine over SSH, so that its workers can reach this service. Anyone who can reach the engine controls its
              machine: use TLS.
            </Needs>
            <Field label="Address" placeholder="tcp://127.0.0.1:2376" {...field('url')} />
            <Field
              label="Folder with TLS files"
              placeholder="/home/ada/certs"
              hint="With ca.pem, cert.pem and key.pem. Empty: no TLS."
              {...field('tlsFolder')}
            />
          </>
        )}
        <Labelled label="Manager of a Docker swarm" hint="Then the nodes of its swarm run the workers.">
          {(ids) => (
            <Toggle {...ids} checked={draft.swarm} onChange={(swarm) => setDraft((before) => ({ ...before, swarm }))} />
          )}
        </Labelled>
        <Submit error={adding.error} disabled={adding.isPending}>
          Add and test
        </Submit>
      </Form>
    </SidePanel>
  )
}

const terminalLine = ({ texts: { to } }: MachineDraft) => `Try it: ssh ${to === '' ? 'ada@gpu-box' : to} docker version`

function Needs({ children }: { readonly children: React.ReactNode }) {
  return <p className="text-ink-2">{children}</p>
}

function Added({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { client } = useApp()
  const { data } = useQuery(machinesQuery(client))
  const { test } = useMachineActions()
  const machine = data?.machines.find((one) => one.name === name)
  const isRunning = machine?.test.isRunning ?? true
  return (
    <SidePanel open onOpenChange={onClose} title={`Machine ${name}`}>
      <p className="mb-2 text-ink-2">Added. Checks for running workers there:</p>
      <div className="rounded-control border border-line">
        <TestSteps test={machine?.test ?? { isRunning: true, steps: [] }} />
      </div>
      <div className="mt-4 flex items-center justify-end gap-2">
        <Button disabled={isRunning} onClick={() => void test(name)}>
          Test again
        </Button>
        <Link
          to={ADDRESS.machine(name)}
          className="inline-flex h-7 items-center rounded-control bg-accent px-2.5 font-medium text-on-accent hover:bg-accent-strong"
        >
          Open {name}
        </Link>
      </div>
    </SidePanel>
  )
}
