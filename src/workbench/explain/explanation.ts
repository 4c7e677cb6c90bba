/** Where something is said; line and column count from 1. */
export interface Said {
  file: string;
  line: number;
  column: number;
  /** Of what a default says: what the default says of itself. */
  byDefault?: string;
}

/** One thing that is so: its name, what it is in few words, and where that is said. */
export interface Part {
  name: string;
  says: string;
  at: Said | undefined;
  parts?: Part[];
}

/** Everything about one thing of the contracts, as it is published. */
export interface Explanation {
  name: string;
  /** `GET /api/v1/users/{user_id}`, or the definition in SDL. */
  what: string;
  at: Said;
  /** What the contract says of it in prose. */
  description: string;
  sections: { title: string; parts: Part[] }[];
}
