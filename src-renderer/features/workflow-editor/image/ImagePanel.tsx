import { useState } from 'react'
import {
  BAKES,
  IMAGE_STEPS,
  type ImageBuildRequest,
  type ImageBuildView,
  type ImageStep,
} from '../../../../src-main/contract/image-builds.ts'
import { DEFAULT_BASE } from '../../../../src-main/contract/worker-images.ts'
import { plainId } from '../../../../src-main/features/endpoints/rules/ids.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Labelled } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { bytes, duration } from '../../../ui/format.ts'
import { ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { StepList } from '../../../ui/StepList.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { Conflicts } from './Conflicts.tsx'
import { ImageDeploy } from './ImageDeploy.tsx'
import { LockContents } from './LockContents.tsx'
import { useImageBuild } from './use-image-build.ts'

const STEPS: Readonly<Record<ImageStep, string>> = {
  lock: 'Choose versions',
  build: 'Build the image',
  test: 'Test the image',
}

const STATES: Readonly<Record<Exclude<ImageBuildView['state'], 'none'>, StateDotProps>> = {
  running: { tone: 'running', text: 'Running', pulses: true },
  done: { tone: 'completed', text: 'Done' },
  failed: { tone: 'failed', text: 'Failed' },
  cancelled: { tone: 'cancelled', text: 'Cancelled' },
}

const BAKE_TEXTS: Readonly<Record<(typeof BAKES)[number], string>> = {
  none: 'Mount all models',
  small: 'Bake small models, mount the others',
  all: 'Bake all models',
}

const PLACES = [
  { value: 'anywhere', label: 'Any machine, and the hosted platform' },
  { value: 'local', label: 'This machine only' },
]

export function ImagePanel({ name }: { readonly name: string }) {
  const { view, error, start, isStarting, cancel } = useImageBuild()
  const [tag, setTag] = useState(`${plainId(name) || 'workflow'}:1`)
  const [sources, setSources] = useState<ImageBuildRequest['sources']>({})
  const [bake, setBake] = useState<(typeof BAKES)[number]>('small')
  const [baseImage, setBaseImage] = useState<string>()
  const [python, setPython] = useState<string>()
  const [worker, setWorker] = useState<ImageBuildRequest['worker']>()
  const place = worker ?? (view?.lock?.worker === 'local' ? 'local' : 'anywhere')
  if (view === undefined) return error === null ? <SkeletonRows rows={6} /> : <ErrorNotice error={error} />
  const base = { ...(baseImage && { image: baseImage.trim() }), ...(python && { python: python.trim() }) }
  const chosen = { sources, base, ...(worker && { worker }) }
  const withSource = (nodePackage: string, source: string) => {
    const named = { ...sources, [nodePackage]: source }
    setSources(named)
    start({ ...chosen, until: 'lock', sources: named })
  }
  const lockedBase = view.lock?.base
  const isRunning = view.state === 'running' || isStarting
  return (
    <section aria-label="Worker image of the workflow" className="flex flex-col gap-4 p-3">
      <p className="text-ink-2">
        A worker image holds ComfyUI, the node packages and Python packages of this workflow in exact versions. It runs
        on this machine, on other machines, and on the hosted platform.
      </p>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          start({ ...chosen, tag, bake })
        }}
      >
        <Field
          label="Image"
          hint="With your registry in front to push it, like ghcr.io/ada/cat:1."
          value={tag}
          onChange={({ target }) => setTag(target.value)}
          required
        />
        <Labelled label="Models">
          {(ids) => (
            <Select
              {...ids}
              choices={BAKES.map((value) => ({ value, label: BAKE_TEXTS[value] }))}
              value={bake}
              onChange={(value) => setBake(BAKES.find((one) => one === value) ?? 'small')}
            />
          )}
        </Labelled>
        <Labelled label="Runs on" hint="Images for this machine only are smaller: they leave out the platform's SDK.">
          {(ids) => (
            <Select
              {...ids}
              choices={PLACES}
              value={place}
              onChange={(value) => setWorker(value === 'local' ? 'local' : 'anywhere')}
            />
          )}
        </Labelled>
        <details>
          <summary className="cursor-pointer text-ink-2">Base image</summary>
          <div className="flex flex-col gap-3 pt-3">
            <Field
              label="Base image"
              hint="With the packages of your GPU, such as torch, where you need them."
              value={baseImage ?? lockedBase?.image ?? ''}
              placeholder={DEFAULT_BASE.image}
              onChange={({ target }) => setBaseImage(target.value)}
            />
            <Field
              label="Its Python version"
              value={python ?? lockedBase?.python ?? ''}
              placeholder={DEFAULT_BASE.python}
              pattern="\d+\.\d+"
              onChange={({ target }) => setPython(target.value)}
            />
          </div>
        </details>
        <div className="flex flex-wrap gap-2">
          {isRunning ? (
            <Button onClick={() => cancel()}>Cancel</Button>
          ) : (
            <>
              <Button kind="main" type="submit">
                Build and test
              </Button>
              <Button onClick={() => start({ ...chosen, until: 'lock' })}>Check only</Button>
            </>
          )}
        </div>
      </form>
      <Progress view={view} />
      {view.problem !== undefined && <Problem text={view.problem} />}
      <Conflicts conflicts={view.conflicts} onSource={isRunning ? undefined : withSource} />
      <BuiltImage view={view} />
      {view.state === 'done' && view.image !== undefined && view.lock !== undefined && (
        <ImageDeploy name={name} image={view.image.reference} lock={view.lock} />
      )}
      {view.lock !== undefined && (
        <LockContents
          lock={view.lock}
          text={view.lockText}
          name={name}
          onUpdate={isRunning ? undefined : (update) => start({ sources, until: 'lock', update: [update] })}
        />
      )}
    </section>
  )
}

function Progress({ view: { state, steps, startedAt, endedAt } }: { readonly view: ImageBuildView }) {
  if (state === 'none') return null
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-3">
        <StateDot {...STATES[state]} />
        {startedAt !== undefined && endedAt !== undefined && (
          <span className="text-small text-ink-2">
            in {duration(endedAt - startedAt)}, <RelativeTime at={endedAt} />
          </span>
        )}
      </div>
      <StepList
        label="Steps of the image"
        steps={IMAGE_STEPS.filter((step) => steps.some((one) => one.step === step)).map((step) => ({
          name: STEPS[step],
          step: steps.find((one) => one.step === step),
        }))}
        isRunning={state === 'running'}
        isNarrow
      />
    </div>
  )
}

/** After its first line, that of a build has the newest output of the step. */
function Problem({ text }: { readonly text: string }) {
  const [first = '', ...lines] = text.split('\n')
  return (
    <div className="flex flex-col gap-1">
      <ErrorNotice error={first} />
      {lines.length > 0 && (
        <pre className="rounded-control bg-surface-2 p-2 font-mono text-small whitespace-pre-wrap wrap-anywhere">
          {lines.join('\n')}
        </pre>
      )}
    </div>
  )
}

function BuiltImage({ view: { image, checks } }: { readonly view: ImageBuildView }) {
  if (image === undefined) return null
  return (
    <div className="flex flex-col gap-2">
      <p role="status">
        <code className="font-mono text-small break-all">{image.reference}</code>: {bytes(image.sizeBytes)}.{' '}
        {image.built.length === 0
          ? 'Nothing had to be built again.'
          : `Built now: ${image.built.join('; ')}. From the cache: ${counted(image.reused, 'layer')}.`}
      </p>
      {checks.length > 0 && (
        <ul aria-label="Checks of the image" className="flex flex-col gap-1">
          {checks.map(({ name, passed, why }) => (
            <li key={name}>
              <StateDot tone={passed ? 'completed' : 'failed'} text={name} />
              {why !== undefined && <p className="pl-3.5 text-small text-ink-2 wrap-anywhere">{why}</p>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
