BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('062aabaf1bed47e7af541fb47fcfcf5d','01_small','2026-03-01 17:00:00.000000','small');
CREATE TABLE autograder_answer (
	grade_id VARCHAR(32) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	asked VARCHAR(32) NOT NULL, 
	PRIMARY KEY (grade_id)
);
INSERT INTO "autograder_answer" VALUES('c5592a335b3148d593f2a718f40dc6c7','09c53741ad00b6ecdec5f9b9a0ce0e31c5e363411754a64871db1a4775d507a2','');
INSERT INTO "autograder_answer" VALUES('2fb27be5983f464482ad9faf3d0e5458','5e330f50a2f536bbba8339b4c44cb0818b897c5e33eb9ee1d9b76d1dd2e286cb','');
INSERT INTO "autograder_answer" VALUES('eefcd91db1cb486da357a748c06fd967','3fab8d68a02eb74ad30aeb5f2aa9fc14ec157892dc9dd4d186287a210c61c33f','written');
INSERT INTO "autograder_answer" VALUES('31854a6f168b4eab8e55f93cb24ef1bd','09c53741ad00b6ecdec5f9b9a0ce0e31c5e363411754a64871db1a4775d507a2','');
INSERT INTO "autograder_answer" VALUES('1b4f653f743646039d6f1f5ce777a8ef','5e330f50a2f536bbba8339b4c44cb0818b897c5e33eb9ee1d9b76d1dd2e286cb','');
INSERT INTO "autograder_answer" VALUES('66a3d7bde4f448b2af52cffac37b034f','3fab8d68a02eb74ad30aeb5f2aa9fc14ec157892dc9dd4d186287a210c61c33f','written');
INSERT INTO "autograder_answer" VALUES('eb8870f344cf4366ab31aca04e132f6d','09c53741ad00b6ecdec5f9b9a0ce0e31c5e363411754a64871db1a4775d507a2','');
INSERT INTO "autograder_answer" VALUES('349b66e666574f0dbde6c36cff4f2d2b','5e330f50a2f536bbba8339b4c44cb0818b897c5e33eb9ee1d9b76d1dd2e286cb','');
INSERT INTO "autograder_answer" VALUES('732bd1c35be14dd99ce79698b4f50667','3fab8d68a02eb74ad30aeb5f2aa9fc14ec157892dc9dd4d186287a210c61c33f','written');
INSERT INTO "autograder_answer" VALUES('95b548ea4cb5418891088555e9c9444d','09c53741ad00b6ecdec5f9b9a0ce0e31c5e363411754a64871db1a4775d507a2','');
INSERT INTO "autograder_answer" VALUES('d2f72e93acec43a2bb72c890db8d4c44','5e330f50a2f536bbba8339b4c44cb0818b897c5e33eb9ee1d9b76d1dd2e286cb','');
INSERT INTO "autograder_answer" VALUES('eaa9dd9881d14bfb8db1c725031dad66','3fab8d68a02eb74ad30aeb5f2aa9fc14ec157892dc9dd4d186287a210c61c33f','written');
CREATE TABLE autograder_save (
	id INTEGER NOT NULL, 
	grade_id VARCHAR(32) NOT NULL, 
	time VARCHAR(40) NOT NULL, 
	grader VARCHAR(128) NOT NULL, 
	score FLOAT, 
	extra_credit FLOAT, 
	PRIMARY KEY (id)
);
INSERT INTO "autograder_save" VALUES(1,'eefcd91db1cb486da357a748c06fd967','2026-11-28T11:18:31.119769+00:00','uma',1.5,NULL);
INSERT INTO "autograder_save" VALUES(2,'66a3d7bde4f448b2af52cffac37b034f','2026-11-28T11:18:31.601243+00:00','tom',1.0,NULL);
INSERT INTO "autograder_save" VALUES(3,'31854a6f168b4eab8e55f93cb24ef1bd','2026-11-28T11:18:31.699462+00:00','tom',0.5,0.25);
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('0d3ccfeff0ac4c838ba97ab2f2c1a698','double','a58eb71b58ff4fb4a8c1322ed72964d7','SolutionCell');
INSERT INTO "base_cell" VALUES('4fde43486d6d462b9ef7a86febf6e756','check-double','a58eb71b58ff4fb4a8c1322ed72964d7','GradeCell');
INSERT INTO "base_cell" VALUES('20087cceee4040ca91a7b25432d0ef6a','row_sums','a58eb71b58ff4fb4a8c1322ed72964d7','SolutionCell');
INSERT INTO "base_cell" VALUES('88422f6c50be4078a37061121c2d51b1','check-row_sums','a58eb71b58ff4fb4a8c1322ed72964d7','GradeCell');
INSERT INTO "base_cell" VALUES('9ef4f0ab3e83481f82f136807bf8b067','why','a58eb71b58ff4fb4a8c1322ed72964d7','GradeCell');
INSERT INTO "base_cell" VALUES('2e2a83d00dac404ab35272012adca350','why','a58eb71b58ff4fb4a8c1322ed72964d7','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('e362b3dea9d94072ae4c83da96a1ee3a','85ebddbbf0504a8f878acec77a7cbbd7','0d3ccfeff0ac4c838ba97ab2f2c1a698','Passed.',NULL);
INSERT INTO "comment" VALUES('c33c7b048ee74c62b382f8eb415e3829','85ebddbbf0504a8f878acec77a7cbbd7','20087cceee4040ca91a7b25432d0ef6a','Passed.',NULL);
INSERT INTO "comment" VALUES('f46ce514285d41199109a97a21fb362a','85ebddbbf0504a8f878acec77a7cbbd7','2e2a83d00dac404ab35272012adca350',NULL,NULL);
INSERT INTO "comment" VALUES('533d530df45b4da59c158edf125052f6','9965705be41645b49f1082a31d2ee69f','0d3ccfeff0ac4c838ba97ab2f2c1a698','Passed.',NULL);
INSERT INTO "comment" VALUES('a848b213fd564a59a2fa179a4bd6e2be','9965705be41645b49f1082a31d2ee69f','20087cceee4040ca91a7b25432d0ef6a','Passed.',NULL);
INSERT INTO "comment" VALUES('87bbb91a41ee46a9bd8d1f60a96a3749','9965705be41645b49f1082a31d2ee69f','2e2a83d00dac404ab35272012adca350',NULL,NULL);
INSERT INTO "comment" VALUES('b88b90ac7f0244eb9aa102907a9207c6','5916c91e96314787bd8752d9d1741813','0d3ccfeff0ac4c838ba97ab2f2c1a698','Passed.',NULL);
INSERT INTO "comment" VALUES('2112cb567ed341ddb1628f701c579f96','5916c91e96314787bd8752d9d1741813','20087cceee4040ca91a7b25432d0ef6a','Passed.',NULL);
INSERT INTO "comment" VALUES('81749b616e014342aa69081b5c38678d','5916c91e96314787bd8752d9d1741813','2e2a83d00dac404ab35272012adca350',NULL,NULL);
INSERT INTO "comment" VALUES('feb05a3f582b41928c25ddb6b2212e24','f4dd18fbc6f94f5b9438d927d09c34b0','0d3ccfeff0ac4c838ba97ab2f2c1a698','Passed.',NULL);
INSERT INTO "comment" VALUES('3523b01e83594574ab926f62e13a425a','f4dd18fbc6f94f5b9438d927d09c34b0','20087cceee4040ca91a7b25432d0ef6a','Passed.',NULL);
INSERT INTO "comment" VALUES('e0d410fe35a24daca1d28449f237a77e','f4dd18fbc6f94f5b9438d927d09c34b0','2e2a83d00dac404ab35272012adca350',NULL,NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('small');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('c5592a335b3148d593f2a718f40dc6c7','85ebddbbf0504a8f878acec77a7cbbd7','4fde43486d6d462b9ef7a86febf6e756',2.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('2fb27be5983f464482ad9faf3d0e5458','85ebddbbf0504a8f878acec77a7cbbd7','88422f6c50be4078a37061121c2d51b1',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('eefcd91db1cb486da357a748c06fd967','85ebddbbf0504a8f878acec77a7cbbd7','9ef4f0ab3e83481f82f136807bf8b067',NULL,1.5,NULL,0);
INSERT INTO "grade" VALUES('31854a6f168b4eab8e55f93cb24ef1bd','9965705be41645b49f1082a31d2ee69f','4fde43486d6d462b9ef7a86febf6e756',2.0,0.5,0.25,0);
INSERT INTO "grade" VALUES('1b4f653f743646039d6f1f5ce777a8ef','9965705be41645b49f1082a31d2ee69f','88422f6c50be4078a37061121c2d51b1',3.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('66a3d7bde4f448b2af52cffac37b034f','9965705be41645b49f1082a31d2ee69f','9ef4f0ab3e83481f82f136807bf8b067',NULL,1.0,NULL,0);
INSERT INTO "grade" VALUES('eb8870f344cf4366ab31aca04e132f6d','5916c91e96314787bd8752d9d1741813','4fde43486d6d462b9ef7a86febf6e756',1.6,NULL,NULL,0);
INSERT INTO "grade" VALUES('349b66e666574f0dbde6c36cff4f2d2b','5916c91e96314787bd8752d9d1741813','88422f6c50be4078a37061121c2d51b1',2.40000000000000035527e+00,NULL,NULL,0);
INSERT INTO "grade" VALUES('732bd1c35be14dd99ce79698b4f50667','5916c91e96314787bd8752d9d1741813','9ef4f0ab3e83481f82f136807bf8b067',NULL,NULL,NULL,1);
INSERT INTO "grade" VALUES('95b548ea4cb5418891088555e9c9444d','f4dd18fbc6f94f5b9438d927d09c34b0','4fde43486d6d462b9ef7a86febf6e756',1.2,NULL,NULL,0);
INSERT INTO "grade" VALUES('d2f72e93acec43a2bb72c890db8d4c44','f4dd18fbc6f94f5b9438d927d09c34b0','88422f6c50be4078a37061121c2d51b1',1.79999999999999982236e+00,NULL,NULL,0);
INSERT INTO "grade" VALUES('eaa9dd9881d14bfb8db1c725031dad66','f4dd18fbc6f94f5b9438d927d09c34b0','9ef4f0ab3e83481f82f136807bf8b067',NULL,NULL,NULL,1);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('4fde43486d6d462b9ef7a86febf6e756',2.0,'code');
INSERT INTO "grade_cells" VALUES('88422f6c50be4078a37061121c2d51b1',3.0,'code');
INSERT INTO "grade_cells" VALUES('9ef4f0ab3e83481f82f136807bf8b067',2.0,'markdown');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('a58eb71b58ff4fb4a8c1322ed72964d7','01_small','062aabaf1bed47e7af541fb47fcfcf5d','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('0d3ccfeff0ac4c838ba97ab2f2c1a698');
INSERT INTO "solution_cells" VALUES('20087cceee4040ca91a7b25432d0ef6a');
INSERT INTO "solution_cells" VALUES('2e2a83d00dac404ab35272012adca350');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('cdd7c9bd97894164805a1f793fdecde1','double','code',0,'def double(x: torch.Tensor) -> torch.Tensor:
    """Return every element of x, twice as large.

    x: (...), any shape. Returns: the same shape and dtype; x stays as it was.
    """
    # YOUR CODE HERE
    raise NotImplementedError()','1f3d550b5ed09a8e34d8e1de5bb0f62d','a58eb71b58ff4fb4a8c1322ed72964d7');
INSERT INTO "source_cell" VALUES('bcec5672ec10489192936320ba5cfc9c','check-double','code',1,'# Check of double
doubled = double(table)
assert doubled.shape == (2, 3), f"double keeps the shape: (2, 3), not {tuple(doubled.shape)}"
expected = torch.tensor([[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]])
assert torch.allclose(doubled, expected, atol=1e-4, rtol=0), "double: not every element is twice as large"
print("double: this check passes")','03449c7981e7126de4b90302ffe0d1af','a58eb71b58ff4fb4a8c1322ed72964d7');
INSERT INTO "source_cell" VALUES('bc26cc98cfa945aba8031bca306682fb','row_sums','code',0,'def row_sums(x: torch.Tensor) -> torch.Tensor:
    """Return the sum of each row of x.

    x: (n, d). Returns: (n,), of x''s dtype.
    """
    # YOUR CODE HERE
    raise NotImplementedError()','aec60b4a678189bb295edce0a8de964a','a58eb71b58ff4fb4a8c1322ed72964d7');
INSERT INTO "source_cell" VALUES('f80ce8097778448a84ec6b70481206c7','check-row_sums','code',1,'# Check of row_sums
sums = row_sums(table)
assert sums.shape == (2,), f"row_sums gives one number a row: shape (2,), not {tuple(sums.shape)}"
expected = torch.tensor([6.0, 15.0])
assert torch.allclose(sums, expected, atol=1e-4, rtol=0), "row_sums: look again at what adds up to what"
print("row_sums: this check passes")','b2cc70952499411501b1d7574d23c7ba','a58eb71b58ff4fb4a8c1322ed72964d7');
INSERT INTO "source_cell" VALUES('6b085d169a3341ad99f7d0b6ccc13dfa','why','markdown',0,'YOUR ANSWER HERE','91ce647a1fea1c5e62da5f8372244719','a58eb71b58ff4fb4a8c1322ed72964d7');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('ann','','ann','',NULL);
INSERT INTO "student" VALUES('ben','','ben','',NULL);
INSERT INTO "student" VALUES('cleo','','cleo','',NULL);
INSERT INTO "student" VALUES('dan','','dan','',NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('e0d890b7f5aa476996fca66e488ed67c','062aabaf1bed47e7af541fb47fcfcf5d','ann','2026-03-01 14:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('0124207b29474aceac0e2f43f016ce46','062aabaf1bed47e7af541fb47fcfcf5d','ben','2026-03-01 14:00:00.000000',NULL);
INSERT INTO "submitted_assignment" VALUES('cfb18ee28c8045d38121f4d0970a4d41','062aabaf1bed47e7af541fb47fcfcf5d','cleo',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('2f308422bb9b4d09835d24846af4d2b3','062aabaf1bed47e7af541fb47fcfcf5d','dan','2026-03-01 15:00:00.000000',NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('85ebddbbf0504a8f878acec77a7cbbd7','e0d890b7f5aa476996fca66e488ed67c','a58eb71b58ff4fb4a8c1322ed72964d7',0,NULL);
INSERT INTO "submitted_notebook" VALUES('9965705be41645b49f1082a31d2ee69f','0124207b29474aceac0e2f43f016ce46','a58eb71b58ff4fb4a8c1322ed72964d7',0,NULL);
INSERT INTO "submitted_notebook" VALUES('5916c91e96314787bd8752d9d1741813','cfb18ee28c8045d38121f4d0970a4d41','a58eb71b58ff4fb4a8c1322ed72964d7',0,NULL);
INSERT INTO "submitted_notebook" VALUES('f4dd18fbc6f94f5b9438d927d09c34b0','2f308422bb9b4d09835d24846af4d2b3','a58eb71b58ff4fb4a8c1322ed72964d7',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
CREATE INDEX ix_autograder_save_grade_id ON autograder_save (grade_id);
COMMIT;
