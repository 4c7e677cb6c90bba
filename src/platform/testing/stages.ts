import { PIPELINE, type Stage } from '../pipeline.js';

interface NamedStage extends Stage {
  name: string;
  phase: keyof typeof PIPELINE;
}

/** The stages of the pipeline, in their order. */
export const stages: NamedStage[] = Object.entries(PIPELINE).flatMap(([phase, ofPhase]) =>
  Object.entries<Stage>(ofPhase).map(([name, stage]) => ({ name, phase: phase as keyof typeof PIPELINE, ...stage })),
);
