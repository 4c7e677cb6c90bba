import type { Rest, RestFlaw, RestRule } from './rule.js';

type Sections = Record<string, Record<string, unknown>>;

/** What a value names of the components: by a reference, or as references do (a discriminator's mapping). */
function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('#/components/') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : [];
}

/** All that is reached from outside the components, extensions of the document included, as `section/member`. */
function usedComponents({ source, elements }: Rest): Set<string> {
  const { components, ...outside } = source;
  const used = new Set<string>();
  const use = (names: string[]): void => {
    for (const name of names) {
      const [section = '', member = ''] = name.split('/').slice(2);
      if (used.has(`${section}/${member}`)) continue;
      used.add(`${section}/${member}`);
      use(namesIn((components as unknown as Sections)[section]?.[member]));
    }
  };
  use(namesIn(outside));
  // Security schemes go by their bare name.
  const secured = [source, ...elements.filter(({ kind }) => kind === 'operation').map(({ object }) => object)];
  const schemes = secured.flatMap(({ security = [] }) => security.flatMap((one: object) => Object.keys(one)));
  for (const scheme of schemes) used.add(`securitySchemes/${scheme}`);
  return used;
}

function unused(rest: Rest): RestFlaw[] {
  const used = usedComponents(rest);
  const sections = Object.entries((rest.source.components ?? {}) as unknown as Sections);
  return sections.flatMap(([section, members]) =>
    Object.keys(section.startsWith('x-') ? {} : members)
      .filter((member) => !used.has(`${section}/${member}`))
      .map((member) => ({
        path: ['components', section, member],
        onKey: true,
        message: `Nothing uses components.${section}.${member}.`,
      })),
  );
}

function unusedTags({ source, operations }: Rest): RestFlaw[] {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
  return (source.tags ?? []).flatMap(({ name }, index) =>
    used.has(name) ? [] : [{ path: ['tags', index, 'name'], message: `No operation has the tag "${name}".` }],
  );
}

export const COMPONENT_RULES: RestRule[] = [
  {
    name: 'unused-component',
    why: 'What nothing uses is generated into every client all the same, and read by every reviewer.',
    check: unused,
  },
  {
    name: 'unused-tag',
    why: 'A tag is a chapter of the documentation and a group of each SDK, and this one is empty.',
    check: unusedTags,
  },
];
