"""Cards: what transcripts, rules files and agents say, as proposals in the inbox."""
